import type { JsonObject, JsonValue } from '../../../src/core/json/json-value.js';
import { compareFieldErrors } from '../../../src/core/kubernetes/field-error.js';
import { readConfiguration } from '../../../src/core/scheduler-configuration/read-configuration.js';
import type { Op } from '../op.js';

export const schedulerConfig: Op = {
  answer: ({ config }: JsonObject) => {
    const reading = readConfiguration(config as JsonValue, { outOfTreePlugins: 'refuse' });
    if (reading.outcome === 'refused') {
      const { stage, message, errors = [] } = reading;
      if (stage === 'decoding') return { decodeError: message };
      if (stage === 'building') return { buildError: message };
      const listed = [...errors].sort(compareFieldErrors);
      return { errors: listed.map(({ field, type, message: text }) => ({ field, type, message: text })) };
    }
    return {
      profiles: reading.profiles.map(({ schedulerName, filters, scores, written }) => ({
        schedulerName,
        filter: filters,
        score: scores,
        args: Object.fromEntries(written),
      })),
    };
  },
};
