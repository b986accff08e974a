import type { scheduleEvictions } from '../../contract/evictions/questions.js';
import { ServiceError } from '../errors/service-error.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { TimeSlices } from '../states/time-slices.js';
import { planLandings } from './plan-landings.js';
import { planSchedule } from './plan-schedule.js';
import { presentSchedule } from './present-schedule.js';
import { scheduleCsv } from './schedule-csv.js';
import { ScheduleReader } from './schedule-reader.js';
import { scheduleRequestOf } from './schedule-request.js';
import type { ScheduleResponse } from './schedule-response.js';

const BUDGET_MS = 60_000;

/** Who leaves by NoExecute taints, when, why, and where to. */
export class ScheduleEvictions {
  constructor(private readonly reader: ScheduleReader) {}

  /** @throws {InvalidRequestError} naming everything that is wrong; {ServiceError} `budget-exceeded`, `cancelled` */
  async run(given: RequestOf<typeof scheduleEvictions>, context: RequestContext): Promise<ScheduleResponse> {
    const request = scheduleRequestOf(given);
    const reading = await this.reader.run(request, context);
    const slices = new TimeSlices({ budgetMs: BUDGET_MS, signal: context.signal });
    const plan = await planSchedule(reading, slices);
    const landing = request.landing ? await planLandings(plan, slices) : null;
    return presentSchedule(plan, landing, slices);
  }

  /**
   * Every pod that is asked for as a line of CSV, in pieces; the page of the request counts for nothing.
   * @throws {ServiceError} as `run`; `forbidden` to whom values of taints are withheld
   */
  async export(
    given: RequestOf<typeof scheduleEvictions>,
    context: RequestContext,
  ): Promise<AsyncGenerator<string, void, undefined>> {
    const { cluster } = given;
    if (!context.access.seesTaintValues(cluster)) {
      throw new ServiceError(
        'forbidden',
        `The values of taints of cluster ${JSON.stringify(cluster)} are withheld from you; ask for JSON instead.`,
      );
    }
    const { signal } = context;
    const reading = await this.reader.run(scheduleRequestOf(given), context);
    const plan = await planSchedule(reading, new TimeSlices({ budgetMs: BUDGET_MS, signal }));
    // However slowly it is read.
    return scheduleCsv(plan, new TimeSlices({ signal }));
  }
}
