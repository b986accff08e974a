import { describe, expect, it } from '@jest/globals';
import { LineChannel } from './line-channel.js';

const bytes = (text: string): Uint8Array => Buffer.from(text);

async function read(channel: LineChannel): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of channel) parts.push(Uint8Array.from(part));
  return Buffer.concat(parts).toString();
}

describe('a channel of lines', () => {
  it('gives the lines of several writers one after another, without line feeds in them, also long ones', async () => {
    const channel = new LineChannel(10_000_000);
    const text = read(channel);
    const long = 'x'.repeat(700_000);
    await Promise.all([
      channel.write(bytes('{"a":'), bytes('1}')),
      channel.write(bytes('{\n "b": 2\n}')),
      channel.write(bytes(long)),
    ]);
    const many = Array.from({ length: 2_000 }, (_, number) => `${number}`.padStart(400, '.'));
    for (const line of many) await channel.write(bytes(line));
    channel.end();
    expect(await text).toBe(`${['{"a":1}', '{  "b": 2 }', long, ...many].join('\n')}\n`);
  });

  it('copies what it is given', async () => {
    const channel = new LineChannel(1_000);
    const shared = bytes('first');
    await channel.write(shared);
    shared.fill(0x20);
    channel.end();
    expect(await read(channel)).toBe('first\n');
  });

  it('lets writers wait while much is on its way', async () => {
    const channel = new LineChannel(10);
    let isWritten = false;
    const writing = channel.write(bytes('more than ten bytes')).then(() => (isWritten = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isWritten).toBe(false);
    const reader = channel[Symbol.asyncIterator]();
    expect(Buffer.from((await reader.next()).value!).toString()).toBe('more than ten bytes\n');
    await writing;
  });

  it('fails for its writers and its reader', async () => {
    const channel = new LineChannel(10);
    const writing = channel.write(bytes('more than ten bytes'));
    channel.fail(new Error('cut'));
    await expect(writing).rejects.toThrow('cut');
    await expect(read(channel)).rejects.toThrow('cut');
  });
});
