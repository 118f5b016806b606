import { ChatServer } from '../../support/servers/chat-server.ts';
import { Browser } from './visit.ts';

/*
 * A process with a conversation that waits for its next attempt and is then paused. The process ends by itself unless a
 * timer remains. Run by retry-after.test.ts.
 */
const server = await ChatServer.start();
const visit = new Browser().visit(server);
await visit.conversation.open();
server.answerNext('send', {}, 429, { 'Retry-After': '3600' });
visit.conversation.send('One');
await visit.settled();
console.log(visit.problems[0]?.code);
visit.conversation.pause();
await server.stop();
