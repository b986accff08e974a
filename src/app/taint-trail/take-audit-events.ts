import type { Response } from '../../contract/schema.js';
import type { takenAuditEvents } from '../../contract/taint-trail/audit-events.js';
import type { AuditEventRow } from '../../core/audit/audit-event-row.js';
import { IngestError } from '../../ingest/ingest-error.js';
import { readAuditEventStream } from '../../ingest/read-audit-event-stream.js';
import { AuditEventStore } from '../../storage/taint-trail/audit-event-store.js';
import { GetCluster } from '../clusters/get-cluster.js';
import { senderOf, type RequestContext } from '../request-context.js';
import { ServiceMetrics } from '../service-metrics.js';
import { AuditTally } from './audit-tally.js';
import { auditEventsRefused } from './audit-events-refused.js';

export interface TakeAuditEventsRequest {
  readonly cluster: string;
  readonly body: {
    readonly bytes: AsyncIterable<Uint8Array>;
    readonly contentType?: string | undefined;
    readonly contentEncoding?: string | undefined;
  };
}

export type TakenAuditEvents = Response<typeof takenAuditEvents>;

/** Maximum number of events in a transaction, and of their characters. */
const MAX_EVENTS = 4000;
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * Stores audit events of an API server. Events about nodes are stored in batches, each with the resulting trail
 * records; each event is stored once, so a body can always be sent again. A body with a single batch is stored
 * atomically.
 */
export class TakeAuditEvents {
  constructor(
    private readonly getCluster: GetCluster,
    private readonly store: AuditEventStore,
    private readonly metrics: ServiceMetrics,
  ) {}

  /**
   * @throws {ClusterNotFound} audit events do not create clusters
   * @throws {ServiceError} from `auditEventsRefused` for a body that cannot be read completely
   */
  async run({ cluster: name, body }: TakeAuditEventsRequest, context: RequestContext): Promise<TakenAuditEvents> {
    const cluster = await this.getCluster.run(name);
    const { bytes, contentType, contentEncoding } = body;
    const reading = readAuditEventStream(bytes, {
      contentType,
      contentEncoding,
      signal: context.signal,
      sender: senderOf(context),
    });
    const tally = new AuditTally();
    try {
      for await (const portion of portionsOf(reading.rows)) {
        tally.add(portion.length, await this.store.add(cluster.id, portion, context.now));
      }
      const report = await reading.report;
      const { bytesRead, bytesDecoded, events: received, ignored, invalid, problems } = report;
      const taken = {
        ...{ cluster: cluster.name, bytesRead, bytesDecoded, received, ignored, invalid, problems },
        ...tally.finish(),
      };
      this.measure(taken);
      return taken;
    } catch (error) {
      throw error instanceof IngestError ? auditEventsRefused(error, tally.finish()) : error;
    }
  }

  private measure({ kept, duplicates, ignored, invalid }: TakenAuditEvents): void {
    this.metrics.countAuditEvents('kept', kept);
    this.metrics.countAuditEvents('duplicate', duplicates);
    this.metrics.countAuditEvents('invalid', invalid);
    this.metrics.countAuditEvents(
      'ignored',
      ignored.reduce((all, { count }) => all + count, 0),
    );
  }
}

async function* portionsOf(
  batches: AsyncIterable<readonly AuditEventRow[]>,
): AsyncGenerator<readonly AuditEventRow[], void> {
  let portion: AuditEventRow[] = [];
  let characters = 0;
  for await (const batch of batches) {
    for (const row of batch) {
      portion.push(row);
      characters += row.content.length;
      if (portion.length < MAX_EVENTS && characters < MAX_CHARACTERS) continue;
      yield portion;
      portion = [];
      characters = 0;
    }
  }
  if (portion.length > 0) yield portion;
}
