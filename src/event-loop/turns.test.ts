import { describe, expect, it } from '@jest/globals';
import { createServer, type AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { Slices } from './slices.js';
import { Turns } from './turns.js';

/** An event loop whose turns the test makes, with a clock that only computations move. */
class Loop {
  now = 0;
  private due: (() => void)[] = [];
  readonly turns = new Turns(
    (callback) => this.due.push(callback),
    () => this.now,
  );
  readonly log: string[] = [];

  /** The milliseconds of each slice. */
  readonly slices: number[] = [];

  /** A computation of so many slices, which has used some before. */
  async compute(name: string, slices: number, before = 0, inBackground = false): Promise<void> {
    const order = this.turns.begin();
    for (let used = before + 1; used <= before + slices; used++) {
      const ms = await this.turns.next({ order, used, inBackground });
      this.log.push(name);
      this.slices.push(ms);
      this.now += ms;
    }
  }

  async turn(): Promise<void> {
    const due = this.due;
    this.due = [];
    for (const callback of due) callback();
    await Promise.resolve();
    await Promise.resolve();
  }

  async run(): Promise<readonly string[]> {
    while (this.due.length > 0) await this.turn();
    return this.log;
  }
}

describe('Turns', () => {
  it('resumes one computation in each turn of the event loop', async () => {
    const loop = new Loop();
    for (const name of ['a', 'b', 'c']) void loop.compute(name, 1);
    await loop.turn();
    expect(loop.log).toEqual(['a']);
    await loop.turn();
    expect(loop.log).toEqual(['a', 'b']);
    expect(await loop.run()).toEqual(['a', 'b', 'c']);
  });

  it('ends short computations in the order in which they began', async () => {
    const loop = new Loop();
    void loop.compute('first', 3);
    void loop.compute('second', 2);
    await loop.turn();
    void loop.compute('third', 1);
    expect(await loop.run()).toEqual(['first', 'first', 'first', 'second', 'second', 'third']);
  });

  it('lets long computations wait for short ones, but not for ever', async () => {
    const loop = new Loop();
    void loop.compute('long', 14);
    for (let turn = 0; turn < 12; turn++) await loop.turn();
    expect(loop.log).toHaveLength(12);
    for (let at = 0; at < 6; at++) void loop.compute(`short ${at}`, 1);
    const rest = (await loop.run()).slice(12);
    expect(rest).toEqual([...['short 0', 'short 1', 'short 2', 'long'], ...['short 3', 'short 4', 'short 5', 'long']]);
  });

  it('shares the turns among long computations', async () => {
    const loop = new Loop();
    void loop.compute('a', 3, 100);
    void loop.compute('b', 3, 100);
    expect(await loop.run()).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  });

  it('lets a long computation block a turn as long as other work did, for a moment at least and as long as a short one at most', async () => {
    const loop = new Loop();
    void loop.compute('short', 2);
    void loop.compute('long', 5, 100);
    for (const others of [0, 0, 0, 1, 5, 100]) {
      loop.now += others;
      await loop.turn();
    }
    expect(loop.log).toEqual(['short', 'short', 'long', 'long', 'long', 'long']);
    expect(loop.slices).toEqual([8, 8, 2, 2, 5, 8]);
  });

  it('gives work in the background a third of the time that other work takes, for a moment at least and as long as a short one at most', async () => {
    const loop = new Loop();
    void loop.compute('background', 6, 0, true);
    for (const others of [0, 0, 3, 12, 21, 100]) {
      loop.now += others;
      await loop.turn();
    }
    expect(loop.slices).toEqual([2, 2, 2, 4, 7, 8]);
  });

  it('lets work in the background wait for short computations from its first slice on, but not for ever', async () => {
    const loop = new Loop();
    void loop.compute('background', 2, 0, true);
    for (let at = 0; at < 6; at++) void loop.compute(`short ${at}`, 1);
    expect(await loop.run()).toEqual([
      ...['short 0', 'short 1', 'short 2', 'background'],
      ...['short 3', 'short 4', 'short 5', 'background'],
    ]);
  });

  it('gives computations as much time as other work took since the last turn', async () => {
    const loop = new Loop();
    for (const name of ['a', 'b', 'c', 'd', 'e']) void loop.compute(name, 1);
    await loop.turn();
    expect(loop.log).toEqual(['a']);
    // What came over the network.
    loop.now += 24;
    await loop.turn();
    expect(loop.log).toEqual(['a', 'b', 'c', 'd']);
    await loop.turn();
    expect(loop.log).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('is over for computations that begin late in a turn, and begins anew with the next', async () => {
    const loop = new Loop();
    expect(loop.turns.isOver(loop.now)).toBe(false);
    loop.now += 7;
    expect(loop.turns.isOver(loop.now)).toBe(false);
    loop.now += 1;
    expect(loop.turns.isOver(loop.now)).toBe(true);
    await loop.turn();
    expect(loop.turns.isOver(loop.now)).toBe(false);
  });
});

/** Connects so many times, sends a byte over each connection, and says so in shared memory: the system takes connections before they are accepted. */
const CLIENT = `
  const { workerData: { port, count, sent } } = require('node:worker_threads');
  const net = require('node:net');
  for (let index = 0; index < count; index++) {
    const socket = net.connect(port, '127.0.0.1', () => socket.write('x', () => {
      if (Atomics.add(sent, 0, 1) < count - 1) return;
      Atomics.store(sent, 1, 1);
      Atomics.notify(sent, 1);
    }));
  }
`;

describe('turns', () => {
  it('let other work be done that takes several turns of the event loop, such as new connections', async () => {
    const count = 12;
    const slices = new Slices();
    const served: number[] = [];
    let isServed = (): void => undefined;
    const allServed = new Promise<void>((resolve) => (isServed = resolve));
    const server = createServer((socket) => {
      socket.once('data', () => {
        socket.destroy();
        if (served.push(slices.used) === count) isServed();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const sent = new Int32Array(new SharedArrayBuffer(8));
    const client = new Worker(CLIENT, { eval: true, workerData: { port, count, sent } });
    await new Promise((resolve) => client.once('online', resolve));
    // This thread accepts none meanwhile.
    expect(Atomics.wait(sent, 1, 0, 10_000)).not.toBe('timed-out');
    const computation = slices.run(computing(() => served.length === count));
    await Promise.all([allServed, computation]);
    // libuv accepts a connection in a turn, and a slice in each of them would be 12 slices.
    expect(served.at(-1)! - served[0]!).toBeLessThan(4);
    await client.terminate();
    server.close();
  });
});

/** Steps of a millisecond each, until it is done. */
function* computing(isDone: () => boolean): Generator<undefined, void> {
  while (!isDone()) {
    const ends = performance.now() + 1;
    while (performance.now() < ends);
    yield undefined;
  }
}
