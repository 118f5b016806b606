import type { Vocabulary } from '../vocabulary.ts';
import { parseGroups, parseWords } from './word-lists.ts';

/** German, as customers of shops and services write it. */
export const german: Vocabulary = {
  stopWords: parseWords(`
    darf dürfen wann heute schon ab aber alle als also am an auch auf aus bei beim bin bis bitte da dann das dass dein deine dem den denn
    der des die dies diese dieser dir doch du eigentlich ein eine einem einen einer es etwas euch euer eure
    eurem euren für gern gerne gibt guten habe haben habt hallo hat hätte ich ihm ihn ihnen ihr ihre ihrem
    ihren im in ist ja kann kauf kaufen kannst können könnte könnten man mein meine meinem meinen meiner
    mich mir mit möchte möchten muss müssen nach nicht noch nur ob oder ohne okay schon sein sich sie sind
    so soll über um und uns unser unsere von vom vor war was welche welchem welchen welcher welches wem wen
    wenn wer werden wie wieviel will wir wird wissen wo wollen wollte würde zu zum zur frage fragen tag
    danke machen macht geht mal`),
  businessWords: parseWords('laden geschäft shop firma unternehmen büro praxis'),
  synonymGroups: parseGroups(`
    geöffnet, offen, öffn*, auf habt, habt ihr auf, haben sie auf, geschlossen, schließ*, macht ihr auf, macht ihr zu, sonntag*, samstag*, montag*, dienstag*, mittwoch*, donnerstag*, freitag*, wochenende, feiertag*, weihnachten, heiligabend, silvester
    wie lange, wie schnell, wann kommt, wann ist, dauer, dauert, zeit, tage
    kostet, kosten, preis*, wie teuer, teuer, gebühr*, wie viel, wieviel, kostenlos, gratis
    liefer*, versand*, verschick*, versend*, paket*, zustell*, schickt ihr, schicken sie, bestellung
    versandkosten, lieferkosten, porto, kostet der versand, kostet die lieferung, österreich, schweiz, ausland, länder
    lieferzeit*, wie lange dauert die lieferung, wann kommt mein paket, wann kommt meine bestellung
    sendungsverfolgung, verfolg*, tracking, wo ist mein paket, wo bleibt, wo ist meine bestellung
    abhol*, click collect
    express*, eilig, dringend, morgen, über nacht
    rückgabe*, zurückgeb*, zurückschick*, zurücksend*, retour*, rücksend*, widerruf*, zurück, geld zurück, erstatt*, rückerstatt*
    umtausch*, tausch*, passt nicht, andere größe, falsche größe, zu klein, zu groß
    bezahl*, zahl*, paypal, kreditkarte*, rechnung, klarna, lastschrift, vorkasse, bargeld, girocard, zahlungsart*, zahlungsmethode*
    garantie*, gewährleist*, defekt*, mangel, mängel
    kaputt*, reparatur*, reparier*, gerissen, riss, reißverschl*, besohl*, flick*, werkstatt
    geschenkverpack*, verpack*, einpack*, als geschenk, einwickeln
    geschenkkarte*, geschenkgutschein*, gutschein, gutscheine
    rabatt*, rabattcode*, gutscheincode*, aktionscode*, newsletter, code
    kontakt*, telefon*, anruf*, erreich*, mail, e mail, email, kundendienst, kundenservice, hotline, mensch, mitarbeiter
    adresse, anschrift, anfahrt, wo seid, wo sind sie, wo finde ich, wo ist der laden, wo ist ihr laden, wo ist euer laden, straßenbahn, parken, parkplatz, auto, wagen, bus, bahn
    größe*, passform, passen, fällt, fallen, messen, rückenlänge
    miet*, leih*, ausleih*, verleih*, testen
    zelt*, campen
    rucksack*, rucksäcke
    hund*, haustier*, tiere
    stiefel*, schuh*, wanderschuh*, wanderstiefel*
    jacke*, regenjacke*, wasserdicht*
    wanderung*, geführt*, tour*, mitwandern`),
};
