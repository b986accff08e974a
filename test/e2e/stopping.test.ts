import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { startTestService } from '../support/service.js';

const BODY = JSON.stringify({ labels: {} });

/** A new connection; undefined if it is refused. */
async function connectTo(port: number): Promise<Socket | undefined> {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect').then(
    () => socket,
    () => undefined,
  );
}

it('answers what comes over a connection in use while the service stops, and closes it then', async () => {
  const service = await startTestService();
  const port = Number(new URL(service.url).port);
  const socket = (await connectTo(port))!;
  const answers = text(socket);
  // The first half of a change is in progress.
  const head = `PUT /api/v1/clusters/a HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\nexpect: 100-continue\r\n\r\n`;
  socket.write(head);
  await once(socket, 'data');
  const closed = service.close();
  for (let other = await connectTo(port); other !== undefined; other = await connectTo(port)) other.destroy();
  socket.write(`${BODY}GET /api/v1/clusters HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  const lines = (await answers).match(/HTTP\/1\.1 \d.*$|^connection: .*$/gim)!.map((line) => line.trim().toLowerCase());
  expect(lines).toEqual([
    'http/1.1 100 continue',
    'http/1.1 201 created',
    'connection: keep-alive',
    'http/1.1 200 ok',
    'connection: close',
  ]);
  await closed;
});
