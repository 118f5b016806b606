import type { Vocabulary } from '../vocabulary.ts';
import { parseGroups, parseWords } from './word-lists.ts';

/** English, as customers of shops and services write it. */
export const english: Vocabulary = {
  stopWords: parseWords(`
    a about accept accepted allow allowed permitted actually again all also am an and any anyone anything are as ask at be been but
    by can could did do does doing dont else ever exactly explain for from get getting give go going got
    guys had has have hello help hey hi how i if im in information into is it its just kind kindly know let
    like ll long looking made make many may maybe me might more much must my need no not now of off ok okay
    old on one only or other our out offer please policy possible question really regarding s sell send sent
    shall she should so some something sort t take takes tell than thank thanks that the their them then
    there these they thing things this those to too until us use ve very want wanted was way we well were
    already yet once twice one two both while during since without within suitable late gets getting sending sends given gives giving using uses used takes taking taken asks asking
    comes coming going done wants wanting needs needed offers offering makes tells telling shows showing thinking thinks
    up down over under today m re ve ll d option options available happen happens come comes
    normally usually somewhere certain each every because here bring keep made real want what whats when where which who whom whose why will with wondering would yes you your yours
    myself yourself himself herself itself ourselves themselves somebody someone everybody everyone nobody
    none nothing everything anywhere everywhere nowhere neither nor either such same own few several less
    least enough against among across through between before after above below behind beside besides near
    nearby around along till unless although though whether therefore however instead otherwise perhaps rather
    quite almost never always often sometimes soon later ago next last first new newest mine ours theirs his
    her hers him he being having cannot ought say says said mean means
    u ur r pls plz thx gonna wanna gotta cos cuz stuff folks mate wheres hows whens whos theres heres thats lets
    still along away straight directly personally simply properly currently nicely inside outside apart
    isn aren wasn weren doesn didn hasn haven hadn couldn wouldn shouldn won
    isnt arent wasnt werent doesnt didnt hasnt havent hadnt couldnt wouldnt shouldnt cant wont ive youre youve theyre`),
  commonWords: parseWords(`
    become begin believe build buy call carry catch change choose continue create cut decide die draw drink
    drive eat enjoy fall feel fill find finish follow forget grow hate hear hold hope include invite join jump
    kill laugh lead learn leave lie listen live look lose love meet miss move pass plan play prefer pull push
    put reach read receive remember run see seem set share show sing sit sleep smile spend stand start stay
    stop study suggest suppose talk teach think touch travel try turn understand wait wake walk watch wear win
    wish work worry write became began begun believed bought built called carried caught changed chose chosen
    continued created decided died drank drew drove ate enjoyed fell felt filled followed forgot forgotten
    found gave gone grew worn held included joined kept killed knew learned left lived looked lost loved met missed
    moved offered passed planned played received remembered ran saw seen seemed shared showed sat slept spent
    started stayed stood stopped studied suggested talked taught thought touched travelled tried turned
    understood waited walked watched went won wore worked wrote begins buying contains contain goes happening
    includes including keeps leaves lives living looks makes needs playing plays running sees shows starting
    starts stays tries trying works working people person man men woman women child children kid kids family
    friend friends mother father mum mom dad parents brother sister son daughter husband wife birthday boy girl baby name names life world home house room place places part
    parts side sides hand hands head face eye eyes body year years month months week weeks hour hours minute
    minutes morning afternoon evening night tonight yesterday moment number numbers group groups line lines
    point points word words story state states city town area water food money job school case problem
    problems idea fact reason reasons result type types good better best bad worse worst big bigger biggest
    large larger great little small smaller high higher low lower longer short shorter right early easy hard
    full empty whole main major different important nice happy sad young true false free clear sure able ready
    likely simple special usual bit lot lots rest pair piece pieces kinds three four five six seven eight nine ten
    twelve fifteen twenty thirty forty fifty hundred thousand click clicked drop dropped pick picked type typed
    add combine exist print printed treat value version physical end extra field button told choose wrong daily`),
  businessWords: parseWords('shop shops store stores business company office'),
  synonymGroups: parseGroups(`
    open, opened, opening, how late, how early, drop by, drop in, pop in, pop by, come by, stop by, come round, opening hours, opening times, what time, which time, business hours, close, closes, closed, closing, shut, shuts, sunday*, saturday*, monday*, tuesday*, wednesday*, thursday*, friday*, weekend*, holiday*, bank holiday*, public holiday*, christmas, easter
    how long, how soon, how quickly, how fast, how many days, how many weeks, how many years, how much time, turnaround, when will, when does, when do i get, time, days, duration
    cost, costs, price*, amount, fee, fees, charge, charges, rate, rates, how much, free, euro, euros, expensive, cheap*, pay for, have to pay, set me back, sets me back
    abroad, overseas, international*, foreign, countries, country, norway
    eu, europe*, austria, belgium, bulgaria, croatia, cyprus, czechia, czech republic, denmark, estonia, finland, france, greece, holland, hungary, ireland, italy, latvia, lithuania, luxembourg, malta, netherlands, poland, portugal, romania, slovakia, slovenia, spain, sweden
    uk, united kingdom, britain, british, england, scotland, wales
    usa, united states, america*
    customs, duty, duties, import tax*, import fee*, import charge*, tariff*
    tax, taxes, taxed, vat
    purchase*, order*, bought
    employee*, staff, team, colleague*, worker*, people
    found*, set up, establish*, exist, exists, existed, been around, in business, started, start the
    colour*, color*, black, white, red, blue, yellow, orange, pink, purple, beige, ochre, navy, grey, gray, brown
    set up, put up, pitch*, assembl*, stands
    ethic*, fair trade, certif*
    warehouse*, depot
    stock, in stock, sold out, out of stock, restock*
    job, jobs, hiring, vacanc*, career*, intern, interns, internship*, apprentice*, recruit*, work for you
    password*, login, log in, sign in, username
    loyalty, points, reward*, membership, member, members
    student*, pensioner*, seniors, senior citizen*
    privacy, gdpr, data protection, personal data, my data
    review, reviews, rating, ratings, testimonial*, feedback
    wash, washed, washing, detergent*, laundry, tumble*, dry clean*, clean, cleaning, care instructions
    sale, sales, black friday, clearance, outlet, bargain*
    wholesale, bulk, reseller*, logo, logos, engrav*, embroider*
    child, children, kid, kids, toddler*, baby, babies, junior*
    toilet*, restroom*, loo
    cafe, café, restaurant*
    food, meal*, snack*
    season*, winter, summer, autumn
    second hand, trade in, buy back, buy * off me, buy my, resell, used gear, old gear
    made in, manufactur*, factory, factories, sewn, country of origin
    insur*, theft, stolen
    contents, contain*, ingredient*, material*, made of, made from, fabric*
    ready, finished
    track*, where is my order, where is my parcel, where is my package, where is my delivery, where s my order, where s my parcel, where s my package, where s my delivery, order status, status of my order, hasn t arrived, not arrived, hasn t come, not turned up, on its way, on the way, whereabouts
    pick up, pick it up, pick * up, pick * * up, click collect, click and collect, fetch*, collect, collection, collecting
    courier*, carrier*, dhl, ups, fedex, shipping company, delivery company
    packing station*, packstation*, parcel locker*, locker, lockers
    express, urgent*, fast, faster, quick, quicker, asap, next day, tomorrow, overnight
    refund*, money back, reimburse*
    pay, pays, paying, paid, payment*, settle, bill, wire, banknote*, coins, cheque*, contactless, paypal, visa, mastercard, klarna, american express, amex, maestro, credit card*, debit card*, direct debit, invoice*, instalment*, installment*, cash, apple pay, google pay, bank transfer
    prepay*, upfront, up front, in advance, beforehand
    charged, debited, deducted, billed, take the money, take money, money off, money taken, money leave, leave my account, leaves my account, leave my bank, taken from my, take it from my
    spare*, replacement*, buckle*, strap*, lost a, lost my, lost the
    deposit*, security money, bond
    estimate*, quote, quotes, quotation*
    cartridge*, canister*, gas bottle*
    gift wrap*, wrap*, as a gift, as a present, present, presents
    gift card*, gift voucher*, gift certificate*
    valid, validity, expire*, expiry, expiration, until when, go off, run out, runs out
    weigh, weighs, weight, heavy, lightweight, how light, kg, gram*
    temperature*, cold, warm, freezing, frost, degrees, celsius
    bright*, lumen*
    capacity, volume, litre*, liter*
    advice, advise*, consult*, video*, webcam, zoom, skype, facetime
    voucher code*, voucher, vouchers, coupon*, discount*, promo*, code, codes, rebate*, percent off, something off, save, savings
    redeem*, spend, used
    newsletter, mailing list, subscribe*, subscription, new customer*, first order
    sign up, signing up, signed up, subscribe, register*, registration, enrol*
    contact*, phone*, telephone, call, email*, e mail*, mail, email address, mail address, phone number, reach, i ring, ring you, talk to, speak to, speak with, customer service, support, hotline, human, bot, robot, person, agent, representative, get in touch
    shop, shops, store, stores
    address, street, located, location, where are you, where exactly, nearest, car, car park, garage, where is the shop, where is the store, where is your shop, where is your store, find you, find the shop, directions, visit, parking, park, tram, bus, get to you, how to get
    size*, sizing, size up, size down, between sizes, between two sizes, between s and, between m and, between l and, fit, fits, fitting, measure*, runs small, run small, runs large, run large, come up, comes up, true to size
    wheelchair*, accessib*, step free, disabled, disability, lift, elevator, pushchair*, stroller*, pram, prams, stairs
    dog*, labrador*, retriever*, terrier*, poodle*, puppy, puppies, pet, pets, animal*
    sustainab*, eco*, environment*, climate, green, pfas
    packaging, packing, box, boxes, plastic, cardboard
    bicycle*, bike, bikes
    how far, distance, km, kilometre*, kilometer*, mile, miles
    battery, batteries, rechargeable, recharge*, usb
    coffee, tea, drink, drinks, beverage*
    hike, hikes, trek, treks, walk, walks, tour, tours, guided`),
  actionGroups: parseGroups(`
    deliver*, ship*, dispatch*, parcel*, package, packages, post, posts, posted, posting, postage, arriv*, gets here, get here, send it, send to, send him, send her, turn up, turns up
    return*, send back, send * back, bring * back, take * back, sending back, sent back, send it back, send them back, send my * back, back, give * back, unwanted, no longer want, no longer need, change my mind, changed my mind, don t like, do not like, don t want it, do not want it
    exchang*, swap*, trade, larger pair, bigger pair, smaller pair, wrong size, does not fit, doesn t fit, didn t fit, not fit, other size, another size, different size, bigger size, smaller size, too small, too big, too large, too tight, too loose, too short, too long, too wide, too narrow
    cancel*, withdraw*, revoke, amend, alter*, modif*, call off, stopped, stop my order, stop the order, by mistake, wrong colour, change my order, change the order, change an order, change order
    warrant*, guarant*, defect*, faulty, fault, covered, claim, claims, my rights, complain*
    broke, broken, bust, busted, seam, seams, sole, soles, patch*, stitch*, falling apart, coming apart, came apart, fell apart, worn out, break*, damage*, torn, tear, tears, ripped, rip, rips, snapped, cracked, leak*, hole, holes, repair*, fix, fixed, fixing, mend*, zip, zips, zipper*, resol*, reproof*, waterproof again, impregnat*
    rent*, rental, hire, borrow*, lend*, loan, try before`),
  productGroups: parseGroups(`
    gear, equipment, kit
    clothes, clothing, garment*, trouser*, shirt*, sweater*, pullover*, dress*, apparel
    bottle*, flask*, thermos*
    tent*, camp*
    rucksack*, backpack*, pack
    boot*, shoe*, footwear, trainers, sneaker*, sandal*
    jacket*, raincoat*, coat*, anorak*, parka*
    waterproof*, watertight, rainproof, water resistant, water repellent, membrane
    lamp*, headlamp*, torch*, flashlight*, headlight*
    stove*, cooker*, cook*`),
};
