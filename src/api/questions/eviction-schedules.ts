import { scheduleFieldErrors } from '../../app/evictions/schedule-field-errors.js';
import { ScheduleEvictions } from '../../app/evictions/schedule-evictions.js';
import { scheduleEvictions } from '../../contract/evictions/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

export const EVICTION_SCHEDULE_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(scheduleEvictions, ScheduleEvictions, {
    crossFieldErrors: (body) => scheduleFieldErrors(body, ''),
    formats: {
      csv: {
        mediaType: 'text/csv',
        mediaTypeParameters: 'charset=utf-8; header=present',
        example:
          'action,earliest,latest,namespace,name,node,workloadKind,workload,taint,toleration,seconds,baseEarliest,baseLatest,' +
          'baseKnown,gracePeriodSeconds,gone,because,notLoaded\r\n' +
          'now,,2026-05-04T12:00:00.000Z,default,web-0,node-1,,,maintenance=true:NoExecute,,0,,,,30,,,\r\n',
        fileName: ({ cluster }) => `eviction-schedule-${cluster}.csv`,
        write: (schedules, request, context) => schedules.export(request, context),
      },
    },
  }),
];
