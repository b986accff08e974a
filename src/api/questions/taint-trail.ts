import { mapPageInSlices } from '../../app/paging/page-by-position.js';
import { FindFights } from '../../app/taint-trail/find-fights.js';
import { GetRecord } from '../../app/taint-trail/get-record.js';
import { ListRecordsAcross } from '../../app/taint-trail/list-records-across.js';
import { ListRecords } from '../../app/taint-trail/list-records.js';
import { ListTrails } from '../../app/taint-trail/list-trails.js';
import { TimeSlices } from '../../app/states/time-slices.js';
import type { UncountedPage } from '../../contract/page.js';
import type { WrittenRecord } from '../../app/taint-trail/record-response.js';
import { presentRecord } from '../../app/taint-trail/present-record.js';
import { ReadNodeHistory } from '../../app/taint-trail/read-node-history.js';
import { ReadTrailHead } from '../../app/taint-trail/read-trail-head.js';
import { VerifyTrail } from '../../app/taint-trail/verify-trail.js';
import * as trails from '../../contract/taint-trail/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

const shown = (page: UncountedPage<WrittenRecord>) =>
  mapPageInSlices(page, ({ record }) => presentRecord(record), new TimeSlices());

/** GraphQL has further record fields in lists; see `taint-trail.resolver.ts`. */
export const TAINT_TRAIL_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(trails.listRecords, ListRecords, {
    ask: async (listRecords, request) => {
      const { trail, page } = await listRecords.run(request);
      return { trail, page: await shown(page) };
    },
  }),
  answeredBy(trails.getRecord, GetRecord),
  answeredBy(trails.readNodeHistory, ReadNodeHistory),
  answeredBy(trails.findFights, FindFights),
  answeredBy(trails.verifyTrail, VerifyTrail),
  answeredBy(trails.readTrailHead, ReadTrailHead),
  answeredBy(trails.listTrails, ListTrails),
  answeredBy(trails.listRecordsAcross, ListRecordsAcross, {
    ask: async (listRecordsAcross, request, context) => ({
      page: await shown(await listRecordsAcross.run(request, context)),
    }),
  }),
];
