import type { Benchmark } from '../measure.js';
import { workOnHead } from '../service/load-head-process.js';
import { CLUSTER, type TestBed } from '../service/test-bed.js';

/** Loads the head revision from Postgres into a state. */
export const headLoad = (bed: TestBed): Benchmark => ({
  name: 'head-load',
  unit: 's',
  target: { absolute: 5 },
  about:
    'the head from Postgres into a ClusterState, in a fresh process; reference: the same rows read and put through JSON.parse, in another',
  rounds: 3,
  warmUp: false,
  prepare: async () => {
    const head = await headOf(bed);
    return {
      subject: async () => (await workOnHead({ ...head, work: 'load' })).seconds,
      reference: async () => (await workOnHead({ ...head, work: 'parse' })).seconds,
    };
  },
});

/** Loads the head as a process does that starts on a database in which another one has kept the image of the state. */
export const headLoadImage = (bed: TestBed): Benchmark => ({
  name: 'head-load-image',
  unit: 's',
  target: { absolute: 2 },
  about:
    'the head from its image in Postgres into a ClusterState, in a fresh process; reference: all its rows read and put through JSON.parse, in another',
  rounds: 3,
  warmUp: false,
  prepare: async () => {
    const head = await headOf(bed);
    await workOnHead({ ...head, work: 'image' });
    return {
      subject: async () => (await workOnHead({ ...head, work: 'image' })).seconds,
      reference: async () => (await workOnHead({ ...head, work: 'parse' })).seconds,
    };
  },
});

/** Measures the memory of a process that only loads a head revision. */
export const headLoadMemory = (bed: TestBed): Benchmark => ({
  name: 'head-load-memory',
  unit: 'MB',
  target: { absolute: 800 },
  about: 'peak resident memory of a fresh process that loads the head; reference: the size of the content as JSON text',
  rounds: 1,
  warmUp: false,
  prepare: async () => {
    const head = await headOf(bed);
    return {
      subject: async () => (await workOnHead({ ...head, work: 'load' })).peakMemory,
      reference: async () => (await workOnHead({ ...head, work: 'parse' })).contentSize,
    };
  },
});

async function headOf(bed: TestBed) {
  // A running shared service implies that its database contains the cluster.
  await bed.service();
  return { databaseUrl: await bed.sharedDatabase(), cluster: CLUSTER };
}
