import type { Benchmark } from '../measure.js';
import { BenchService } from '../service/bench-service.js';
import type { TestBed } from '../service/test-bed.js';

/** Measures the service's memory while it ingests a large file. */
export const fileOfOneGigabyte = (bed: TestBed): Benchmark => ({
  name: 'file-1gb-memory',
  unit: 'MB',
  target: { absolute: 500 },
  about:
    'peak resident memory of a fresh service (its Postgres apart) while 1 GB of kubectl get -o json is taken in; reference: the same service before',
  rounds: 1,
  warmUp: false,
  prepare: async () => {
    const file = await bed.gigabyteDump();
    const service = await BenchService.start(await bed.newDatabase());
    const { resident } = await service.memory();
    return {
      subject: async () => {
        await service.takeSnapshot('large', file);
        return (await service.memory()).peak;
      },
      reference: () => resident,
      teardown: () => service.stop(),
    };
  },
});
