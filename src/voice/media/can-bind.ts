import { createSocket } from 'node:dgram';

/** Whether a UDP socket can be opened here; undefined: any port, all addresses. */
export async function canBind(port: number | undefined, address: string | undefined): Promise<boolean> {
  const socket = createSocket(address?.includes(':') ? 'udp6' : 'udp4');
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('error', () => {
    resolve(false);
  });
  socket.bind(port, address, () => {
    resolve(true);
  });
  const isBound = await promise;
  socket.close();
  return isBound;
}
