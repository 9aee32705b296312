"""Words that exclude each other, as plain lists: opposites, and names of one kind of thing.

Everyday words of general knowledge; a phrase's words are joined by `_`. The rules that use them are in `lexicon`.
"""

from __future__ import annotations


def listed(text: str) -> frozenset[str]:
    """Return the words of a list that is written as one text."""
    return frozenset(text.split())


# Two sides a line, which can't both be true of one thing; the words of one side mean about the same.
OPPOSITES = """
big large huge giant gigantic enormous massive vast | small little tiny miniature minuscule
long lengthy | short brief
tall | short
high | low
deep | shallow
wide broad | narrow
thick | thin
fat overweight obese | thin slim skinny lean
heavy | light lightweight
hot boiling | cold freezing chilly icy
warm | cool
wet damp soaked | dry
fast quick rapid speedy swift | slow sluggish
early | late
old elderly senior aged | young youthful
old ancient outdated | new recent modern
good great excellent wonderful fantastic superb | bad terrible awful horrible poor dreadful
better | worse
best | worst
right correct accurate | wrong incorrect inaccurate mistaken
true | false untrue
happy glad pleased joyful cheerful delighted | sad unhappy miserable depressed sorrowful
calm relaxed | nervous anxious tense stressed agitated
easy simple effortless | difficult hard tough complicated
soft | hard
strong powerful sturdy | weak feeble frail
rich wealthy | poor
cheap inexpensive affordable | expensive costly pricey
clean tidy | dirty filthy messy
full | empty
open opened | closed shut
locked | unlocked
loud noisy | quiet silent
bright | dark dim
light | dark
sharp | blunt dull
smooth | rough
straight | crooked curved bent
tight | loose
safe secure harmless | dangerous unsafe insecure risky hazardous
healthy well | sick ill unwell
alive living | dead deceased
awake | asleep sleeping
beautiful pretty gorgeous | ugly hideous
brave courageous | cowardly
clever smart intelligent | stupid dumb
polite courteous | rude impolite
kind friendly | unkind mean unfriendly hostile
generous | stingy
honest truthful | dishonest lying
patient | impatient
careful cautious | careless reckless
lazy idle | hardworking diligent industrious
interesting fascinating exciting | boring dull tedious
useful helpful | useless unhelpful
important crucial essential | unimportant trivial irrelevant
necessary required mandatory compulsory obligatory | unnecessary optional voluntary
possible | impossible
likely probable | unlikely improbable
certain sure | uncertain unsure
available | unavailable
visible | invisible hidden
public | private
legal lawful | illegal unlawful
allowed permitted | forbidden prohibited banned disallowed
valid | invalid
enabled | disabled
active | inactive
online | offline
present | absent
same identical | different
common | rare uncommon
complete finished | incomplete unfinished
successful | unsuccessful
satisfied content | dissatisfied discontent
comfortable | uncomfortable
pleasant | unpleasant
reliable dependable | unreliable flaky
stable | unstable
popular | unpopular
lucky fortunate | unlucky unfortunate
employed | unemployed jobless
married | single unmarried divorced
vegetarian | carnivorous
raw | cooked
fresh | stale rotten
sweet | bitter sour
guilty | innocent
paid | unpaid
permanent | temporary
positive | negative
maximum | minimum
synchronous | asynchronous
mutable | immutable
static | dynamic
local | remote
deprecated | supported
secure | vulnerable
sober | drunk
naked | clothed
blunt | pointed
like likes love loves enjoy adore | dislike hate detest loathe despise
prefer | avoid dislike hate detest loathe
favor favour support endorse | oppose
agree | disagree
approve | disapprove reject
accept | reject refuse decline
trust | distrust mistrust
believe | disbelieve doubt
include including | exclude excluding
increase rise grow | decrease fall decline shrink
allow permit | forbid prohibit ban disallow
enable | disable
appear | disappear
succeed | fail
remember recall | forget
always constantly invariably | never
often frequently usually regularly | rarely seldom
everyone everybody | nobody no_one
everything | nothing
everywhere | nowhere
everyone everybody someone somebody some_one some_body | nobody no_one
something | nothing
all every each | none
many numerous | few
more | less fewer
most | least
near close_to next_to nearby | far far_from far_away_from far_away
inside indoors within | outside outdoors
above over | below under underneath beneath
before | after
in_front_of | behind
up | down
upstairs | downstairs
on | off
with | without
left | right
north northern | south southern
east eastern | west western
front | back rear
top | bottom
first | last
beginning start | end finish
day daytime daylight | night nighttime
morning | evening night midnight
dawn sunrise | dusk sunset
sun | moon
summer | winter
man men guy guys gentleman gentlemen | woman women lady ladies
boy boys | girl girls
male | female
son sons | daughter daughters
brother brothers | sister sisters
father dad | mother mom mum
husband | wife
uncle | aunt
king | queen
enemy enemies foe | friend friends ally
adult grown-up | child kid baby
victory win | defeat loss
success | failure
profit | loss
advantage | disadvantage
strength | weakness
truth | lie
heaven | hell
peace | war
ceiling | floor
forwards forward | backwards backward
clockwise | anticlockwise counterclockwise
together | apart alone separately
can able_to | cannot unable_to
"""

# The same for what somebody does: two such acts, told in the past, may both have happened.
OPPOSITE_ACTS = """
buy buying bought purchase purchasing purchased | sell selling sold
start starting started begin beginning began | stop stopping stopped end ending ended finish finishing finished
open opening opened | close closing closed shut shutting
arrive arriving arrived come coming came | leave leaving left depart departing departed
win winning won | lose losing lost
push pushing pushed | pull pulling pulled
give giving gave | take taking took receive receiving received
stand standing stood | sit sitting sat lie lying lay kneel kneeling
stand standing stood sit sitting sat | run running ran jump jumping jumped dance dancing danced
walk walking walked | run running ran
smile smiling smiled laugh laughing laughed | cry crying cried frown frowning frowned weep weeping wept
rise rising rose climb climbing climbed ascend ascending ascended | fall falling fell descend descending descended
enter entering entered | exit exiting exited
teach teaching taught | learn learning learned
lend lending lent | borrow borrowing borrowed
build building built | destroy destroying destroyed demolish demolishing demolished
add adding added | remove removing removed delete deleting deleted
catch catching caught | throw throwing threw
wake waking woke | sleep sleeping slept
save saving saved | spend spending spent waste wasting wasted
attack attacking attacked | defend defending defended
hire hiring hired | fire firing fired
join joining joined | quit quitting
"""

# Words that mean the same, beside those above.
SAME = """
street road
mother mom mum
father dad
kid child
kids children
photo picture photograph
car automobile
bike bicycle
phone telephone
tv television
begin start
big great
buy purchase
reside live
job work
quickly fast
favorite favourite
color colour
use utilize employ
require need
help assist
film movie
holiday vacation
sick ill
"""

# Names of one kind of thing, of which what is single takes one at a time.
KINDS = {
    "colour": """red blue green yellow orange purple pink black white brown gray grey silver gold violet turquoise beige
        tan maroon crimson scarlet navy teal magenta cyan lavender khaki indigo burgundy olive cream""",
    "nationality": """american british english scottish irish welsh french german italian spanish portuguese dutch
        belgian swiss austrian swedish norwegian danish finnish icelandic polish czech slovak hungarian romanian
        bulgarian greek turkish russian ukrainian serbian croatian albanian chinese japanese korean north_korean
        south_korean taiwanese vietnamese thai indonesian malaysian filipino singaporean indian pakistani bangladeshi
        nepali afghan iranian iraqi israeli palestinian lebanese syrian jordanian saudi egyptian moroccan tunisian
        algerian libyan nigerian kenyan ethiopian ghanaian south_african mexican canadian brazilian argentinian
        chilean peruvian colombian venezuelan cuban jamaican australian new_zealand mongolian cambodian burmese""",
    "country": """america usa united_states united_kingdom england scotland ireland wales france germany italy spain
        portugal netherlands holland belgium switzerland austria sweden norway denmark finland iceland poland hungary
        romania bulgaria greece turkey russia ukraine serbia croatia albania china japan korea north_korea south_korea
        taiwan vietnam thailand indonesia malaysia philippines singapore india pakistan bangladesh nepal afghanistan
        iran iraq israel palestine lebanon syria jordan saudi_arabia egypt morocco tunisia algeria libya nigeria kenya
        ethiopia ghana south_africa mexico canada brazil argentina chile peru colombia venezuela cuba jamaica
        australia new_zealand mongolia cambodia czech_republic slovakia slovenia estonia latvia lithuania""",
    "city": """london paris berlin madrid barcelona rome milan vienna zurich geneva amsterdam brussels copenhagen
        stockholm oslo helsinki dublin lisbon athens prague warsaw budapest moscow kyiv istanbul cairo tokyo osaka kyoto
        seoul beijing shanghai hong_kong bangkok jakarta delhi new_delhi mumbai bangalore karachi sydney melbourne
        auckland toronto vancouver montreal new_york chicago boston seattle portland denver austin dallas houston miami
        atlanta philadelphia san_francisco los_angeles san_diego las_vegas phoenix hamburg munich cologne frankfurt
        manchester edinburgh glasgow lyon marseille naples turin""",
    "language": """english french german italian spanish portuguese dutch swedish norwegian danish finnish polish czech
        hungarian greek turkish russian ukrainian chinese mandarin cantonese japanese korean vietnamese thai hindi
        arabic hebrew persian swahili latin""",
    "drink": """tea coffee water milk juice lemonade soda cola coke pepsi sprite beer wine champagne vodka whisky
        whiskey rum gin tequila cider brandy cognac sake cocoa espresso cappuccino latte""",
    "room": """kitchen bathroom bedroom living_room dining_room common_room hallway garage basement attic cellar
        lounge office library classroom courtroom balcony pantry laundry_room prison_cell conference_room waiting_room
        ballroom studio nursery""",
    "material": """wood stone brick glass plastic metal steel iron concrete cement paper cardboard leather cotton wool
        silk rubber clay sand marble ceramic copper aluminum bronze granite bamboo""",
    "vegetable": """potato tomato carrot onion cucumber pumpkin cauliflower broccoli cabbage lettuce spinach celery
        eggplant zucchini garlic pepper radish beet turnip asparagus leek avocado corn peas beans""",
    "fruit": """apple banana orange pear grape strawberry raspberry blueberry cherry peach plum apricot mango pineapple
        lemon lime kiwi melon watermelon grapefruit fig coconut""",
    "planet": "mercury venus earth mars jupiter saturn uranus neptune pluto moon sun",
    "instrument": """guitar piano violin drums flute trumpet saxophone cello harp clarinet banjo trombone accordion
        harmonica ukulele tuba keyboard oboe organ mandolin""",
    "season": "spring summer autumn winter",
    "meal": "breakfast lunch dinner supper brunch",
    "pet": "dog cat rabbit hamster parrot goldfish turtle horse pony snake lizard",
    "relative": """mother father sister brother son daughter aunt uncle cousin nephew niece grandmother grandfather wife
        husband""",
    "ground": "meadow desert forest beach glacier swamp jungle",
    "programming language": """python java javascript typescript ruby rust golang kotlin swift scala perl php haskell
        erlang elixir clojure fortran cobol lua julia cpp""",
    "database": """postgresql postgres mysql mariadb sqlite mongodb redis cassandra dynamodb oracle cockroachdb duckdb
        couchdb neo4j""",
    "operating system": "linux windows macos freebsd openbsd android ios ubuntu debian fedora",
    "editor": "vim neovim emacs nano vscode sublime intellij pycharm helix",
    "shell": "bash zsh fish powershell tcsh",
    "browser": "firefox chrome safari edge opera brave",
    "cloud": "aws azure gcp heroku digitalocean hetzner",
    "package manager": "npm yarn pnpm pip poetry cargo maven gradle conda",
    "indentation": "tabs spaces",
    "theme": "dark light",
    "markup": "json yaml toml xml csv markdown html",
    "weekday": "monday tuesday wednesday thursday friday saturday sunday",
    "month": "january february march april may june july august september october november december",
    "rhythm": "hourly daily weekly fortnightly monthly quarterly yearly annually",
    "blood type": "a_positive a_negative b_positive b_negative o_positive o_negative",
    "religion": "christian muslim jewish buddhist hindu atheist agnostic",
    "diet": "vegan vegetarian pescatarian omnivore",
}

# What a text is about is none of the following. Dates:
CALENDAR = """
january february march april may june july august september october november december
jan feb apr jun jul aug sep sept oct nov dec
monday tuesday wednesday thursday friday saturday sunday mon tue tues thu thur thurs fri
today yesterday tomorrow tonight day days week weeks weekend month months year years ago last next
"""

# What people say whatever they talk about: courtesies, praise, verbs that say nothing without their object, and words
# that stand for others. Their inflections are left out with them.
SMALL_TALK = """
hello hey hi bye goodbye welcome please thank thanks congrats congratulations cheers sorry sure ok okay oh wow whoa
woo
yay yeah yep yes nope haha lol hmm well anyway
great good better best nice cool awesome amazing fantastic incredible wonderful lovely sweet fun funny glad happy
proud
grateful thankful excited exciting stoked thrilled super special gorgeous beautiful perfect wicked epic neat
bad worse worst sad hard tough easy crazy weird wild rough
love like enjoy appreciate hope wish wait luck lucky
make made making get getting got gotten gotta go goes went gone going gonna come came take took taken give gave given
keep kept
put putting let letting set setting bring brought try tried want wanna need use used do did done become became seem
happen start begin began beginning
turn turned end leave left stay meet met work sound add
see saw seen look watch hear heard feel felt find found know knew known think thought believe understand understood
realize notice remember remind forget forgot guess suppose mean meant call called
talk talking chat say said tell told ask asked answer answered speak spoke spoken show showed shown share discuss
help helped help's send sent hang catch caught check plan hold held
thing things stuff something anything everything nothing someone anyone everyone anybody everybody somebody people
person guy guys man folks friend buddy dude
way ways lot lots ton tons bit kind sort type part point place side idea reason sense difference moment time times
chance word
words news life world experience story stories feeling vibe
really actually definitely totally absolutely especially exactly honestly literally probably maybe perhaps quite
pretty
always never ever often sometimes usually still already yet soon later now then here there anymore lately recently
finally again also too even only just much many more most less least enough almost else instead
around indeed toward towards throughout worth back away together along across far near off over up down
big little small huge whole new old long short high real true right wrong different same own another other able ready
one two first second last couple few several
'cause cuz since because though although while
must might may would could should shall will us ours
"""

# With what somebody is spoken to.
ADDRESS = """
you your yours yourself yourselves you'd you'll you're you've ya u let's thank thanks appreciate congrats
congratulations cheers
"""

# What makes a rule of it all the same.
OBLIGATIONS = "must shall should mustn't shouldn't"
RULES_BEGIN = "never always don't"

# What a sentence may begin with and be none the clearer.
OPENERS = """
hello hey hi yeah yep yes no nope well so and but or oh wow ah aw ok okay sure also plus anyway then now still because
since though even just really actually totally definitely absolutely honestly maybe too
"""

# What points at something that was said before.
POINTERS = """
it it's its it'll it'd they they're they'll they've they'd them their this that that's that'll these those
let here here's he he's she she's his her which who
"""

# What binds a sentence to one time.
AT_ONE_TIME = """
yesterday today tomorrow tonight last next ago just
finally currently recently lately upcoming soon now already again once
"""
