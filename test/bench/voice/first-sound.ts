import { parseArgs } from 'node:util';
import { startCallService } from '../../support/voice/call-service.ts';
import { record } from '../../support/voice/recording.ts';
import { callEngines, launch, VisitorPage } from '../../support/voice/visitor-page.ts';
import { wordErrors, words } from '../../support/voice/word-errors.ts';

/*
 * `npm run bench:first-sound`: measures calls with offline speech in the first installed browser. For each question, the
 * time from the end of the visitor's speech to the first audio of the answer in the page.
 */

const questions = [
  'Can you tell me your opening hours?',
  'Do you deliver to Austria?',
  'What does delivery cost?',
  'Can I return shoes that do not fit?',
  'How long does a repair take?',
  'Do you sell gift cards?',
  'Can I rent a tent for the weekend?',
  'Which ways of payment do you accept?',
  'Do you have guided walks?',
  'Where is your shop?',
  'Is there a warranty on boots?',
  'May I bring my dog?',
];

const { values } = parseArgs({ options: { engine: { type: 'string' } } });
const engine = callEngines().find(({ name }) => name === (values.engine ?? name));
if (!engine) throw new Error('No browser that can make calls is installed.');
const service = await startCallService();
const browser = await launch(engine);
const visitor = await VisitorPage.open(await browser.newContext(), service.running.url);
await visitor.callAndListen();

const delays: number[] = [];
let [errors, all] = [0, 0];
for (const text of questions) {
  const before = (await visitor.messages()).length;
  const { end } = await visitor.say(await record(text));
  const delay = (await visitor.heard(end)) - end;
  const [said = ''] = (await visitor.messages()).slice(before);
  delays.push(delay);
  errors += wordErrors(text, said.slice('user: '.length));
  all += words(text).length;
  console.log(`${String(Math.round(delay)).padStart(5)} ms  ${said}`);
  // Stops the answer, so that the next question is not an interruption.
  await visitor.page.keyboard.press('Escape');
  await visitor.until('listening');
  await visitor.silent(Date.now());
}
const sorted = delays.toSorted((a, b) => a - b);
const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? NaN);
console.log(
  `${engine.name}, ${delays.length} questions: ${at(0.5)} ms (median), ${at(0.95)} ms (95 %); ${errors} of ${all} words wrong`,
);
await browser.close();
await service.running.close();
