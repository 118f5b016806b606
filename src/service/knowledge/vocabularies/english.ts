import type { Vocabulary } from '../vocabulary.ts';
import { parseGroups, parseWords } from './word-lists.ts';

/** English, as customers of shops and services write it. */
export const english: Vocabulary = {
  stopWords: parseWords(`
    a about accept accepted actually again all also am an and any anyone anything are as ask at be been but
    by can could did do does doing dont else ever exactly explain for from get getting give go going got
    guys had has have hello help hey hi how i if im in information into is it its just kind kindly know let
    like ll long looking made make many may maybe me might more much must my need no not now of off ok okay
    old on one only or other our out offer please policy possible question really regarding s sell send sent
    shall she should so some something sort t take takes tell than thank thanks that the their them then
    there these they thing things this those to too until us use ve very want wanted was way we well were
    already yet once twice one two both while during since without within
    up down over under today m re ve ll d option options available happen happens come comes
    normally usually somewhere certain each every because here bring keep made real want what whats when where which who whom whose why will with wondering would yes you your yours`),
  businessWords: parseWords('shop shops store stores business company office'),
  synonymGroups: parseGroups(`
    open, opened, opening, how late, how early, opening hours, opening times, what time, which time, business hours, close, closed, closing, sunday*, saturday*, monday*, tuesday*, wednesday*, thursday*, friday*, weekend*, holiday*, christmas, easter
    how long, how soon, how quickly, how fast, how many days, when will, when does, when do i get, time, days, duration
    cost, costs, price*, amount, fee, fees, charge, charges, how much, free, expensive, cheap*, pay for
    deliver*, ship*, dispatch*, parcel*, package, packages, courier, postage, arrive*, gets here, get here, send it, send to
    abroad, overseas, international*, foreign, countries, country, europe, uk, usa, england, america, switzerland, austria, france, norway
    track*, where is my order, where is my parcel, where is my package, where s my order, where s my parcel, order status, status of my order
    pick up, pickup, pick it up, click collect, click and collect, collect, collection, collecting
    express, urgent*, fast, faster, quick, quicker, asap, next day, tomorrow, overnight
    return*, send back, send * back, bring * back, take * back, sending back, sent back, send it back, send them back, send my * back, back, change my mind, changed my mind
    exchang*, swap*, wrong size, does not fit, doesn t fit, didn t fit, not fit, other size, another size, different size, bigger size, smaller size, too small, too big, too large, too tight
    refund*, money back, reimburse*
    cancel*, withdraw*, revoke, change my order
    pay, pays, paying, paid, payment*, paypal, visa, mastercard, klarna, credit card*, debit card*, invoice*, instalment*, installment*, cash, bitcoin, apple pay, google pay, bank transfer
    warrant*, guarant*, defect*, faulty, fault
    broke, broken, break*, damage*, torn, tear, tears, hole, repair*, fix, fixed, fixing, mend*, zip, zips, zipper*, resol*, reproof*
    gift wrap*, wrap*, giftwrap*, as a gift, as a present, present, presents
    gift card*, gift voucher*, giftcard*, gift certificate*
    valid, validity, expire*, expiry, expiration, until when
    weigh, weighs, weight, heavy, kg, gram*
    temperature*, cold, warm, degrees
    advice, advise*, consult*, video call
    voucher code*, voucher, vouchers, coupon*, discount*, promo*, code, codes, rebate*, percent off
    redeem*, spend
    newsletter, subscribe, subscription, sign up, signing up, signed up, new customer*, first order
    contact*, phone*, telephone, call, email*, e mail*, mail, email address, mail address, phone number, reach, talk to, speak to, speak with, customer service, support, human, person, staff, agent, representative, get in touch
    shop, shops, store, stores
    address, located, location, where are you, where exactly, nearest, car, car park, garage, where is the shop, where is the store, where is your shop, where is your store, find you, find the shop, directions, visit, parking, park, tram, bus, get to you, how to get
    size*, sizing, fit, fits, fitting, measure*, runs small, run small, runs large
    rent*, rental, hire, borrow*, lend*, try before
    tent*, camp*
    rucksack*, backpack*, pack
    boot*, shoe*, footwear
    jacket*, raincoat*, coat*, anorak*, rainproof, waterproof*
    lamp*, headlamp*, torch*, flashlight*, headlight*
    stove*, cooker*, cook*
    wheelchair*, accessib*, step free, disabled, disability, lift, elevator
    dog*, pet, pets, animal*
    sustainab*, eco*, environment*, climate, green, pfas
    packaging, plastic, cardboard
    hike, hikes, walk, walks, tour, tours, guided`),
};
