import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type Metric,
  type RegistryContentType,
} from 'prom-client';
import { HELD_MS } from '../event-loop/loop-monitor.js';

const PREFIX = 'kube_placement_';

/**
 * The Prometheus metrics of the service. There is one instance for each service, so that two services in one process
 * have separate metrics.
 */
export class ServiceMetrics {
  /** Only such a registry takes exemplars. */
  private readonly registry = emptyRegistry('openMetrics');
  // The type takes the labels of exemplars for those of the metric.
  private readonly requests = new Histogram<keyof RequestLabels | 'trace_id'>({
    name: `${PREFIX}http_request_duration_seconds`,
    help: 'Time from the request headers to the last byte of the response, by route and status.',
    labelNames: ['method', 'route', 'status'],
    enableExemplars: true,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.registry],
  });
  private readonly evaluations = new Histogram({
    name: `${PREFIX}evaluation_duration_seconds`,
    help: 'Time of one evaluation in the core, by kind of question.',
    labelNames: ['question'],
    buckets: [0.0001, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [this.registry],
  });
  private readonly ingested = new Counter({
    name: `${PREFIX}ingested_objects_total`,
    help: 'Objects in snapshots, by outcome: kept, ignored, invalid, replaced.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  private readonly snapshots = new Counter({
    name: `${PREFIX}snapshots_total`,
    help: 'Snapshots received, by outcome: committed, unchanged, refused.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  private readonly deltas = new Counter({
    name: `${PREFIX}deltas_total`,
    help: 'Deltas received, by outcome: committed, unchanged, repeated, refused.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  private readonly followEvents = new Counter({
    name: `${PREFIX}follow_events_total`,
    help: 'Events of followed clusters.',
    registers: [this.registry],
  });
  private readonly relists = new Counter({
    name: `${PREFIX}follow_relists_total`,
    help: 'Kinds of followed clusters that were listed anew.',
    registers: [this.registry],
  });
  private readonly auditEvents = new Counter({
    name: `${PREFIX}audit_events_total`,
    help: 'Kubernetes audit events received, by outcome: kept, duplicate, ignored, invalid.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  private readonly admissionReviews = new Counter({
    name: `${PREFIX}admission_reviews_total`,
    help: 'Webhook calls by API servers, by webhook and outcome: untouched, added, refused, failed.',
    labelNames: ['webhook', 'outcome'],
    registers: [this.registry],
  });

  private readonly notifications = new Counter({
    name: `${PREFIX}notification_attempts_total`,
    help: 'Attempts to deliver notifications, by format of the receiver and outcome: delivered, waiting, givenUp, gone.',
    labelNames: ['format', 'outcome'],
    registers: [this.registry],
  });

  private readonly stateLoads = new Histogram({
    name: `${PREFIX}state_load_duration_seconds`,
    help: 'Time to load a state of a cluster, from all its objects (full), from its stored image (image), or from the changes to another state (delta).',
    labelNames: ['kind'],
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.registry],
  });

  private readonly loopHolds = new Histogram({
    name: `${PREFIX}event_loop_hold_seconds`,
    help: `Times in which one thing held the event loop for more than ${HELD_MS} ms.`,
    buckets: [0.1, 0.2, 0.5, 1, 2.5, 5, 10],
    registers: [this.registry],
  });

  private readonly agreement = new Counter({
    name: `${PREFIX}agreement_total`,
    help: 'Predictions beside what clusters did, by rule and outcome: agreed, disagreed, unknown.',
    labelNames: ['rule', 'outcome'],
    registers: [this.registry],
  });

  private readonly verifications = new Counter({
    name: `${PREFIX}trail_verifications_total`,
    help: 'Verifications of audit trails, by cluster and outcome: holds, broken.',
    labelNames: ['cluster', 'outcome'],
    registers: [this.registry],
  });

  /** @param ofAllProcesses what `collect` returns in each process of this replica; absent: there is one */
  constructor(private readonly ofAllProcesses?: () => Promise<readonly unknown[]>) {
    collectDefaultMetrics({ register: this.registry });
  }

  /** @param traceId the trace of the request, as an example of how long such requests take */
  observeRequest(labels: RequestLabels, seconds: number, traceId?: string): void {
    const exemplarLabels = traceId === undefined ? {} : { trace_id: traceId };
    this.requests.observe({ labels: { ...labels }, value: seconds, exemplarLabels });
  }

  observeEvaluation(question: string, seconds: number): void {
    this.evaluations.observe({ question }, seconds);
  }

  observeLoopHold(seconds: number): void {
    this.loopHolds.observe(seconds);
  }

  observeStateLoad(kind: string, seconds: number): void {
    this.stateLoads.observe({ kind }, seconds);
  }

  countIngested(outcome: string, objects: number): void {
    this.ingested.inc({ outcome }, objects);
  }

  countAgreement(rule: string, outcome: string, predictions: number): void {
    this.agreement.inc({ rule, outcome }, predictions);
  }

  countVerification(cluster: string, outcome: 'holds' | 'broken'): void {
    this.verifications.inc({ cluster, outcome });
  }

  countDelta(outcome: string): void {
    this.deltas.inc({ outcome });
  }

  countFollowEvents(events: number): void {
    this.followEvents.inc(events);
  }

  countRelist(): void {
    this.relists.inc();
  }

  countAuditEvents(outcome: string, events: number): void {
    this.auditEvents.inc({ outcome }, events);
  }

  countAdmissionReview(webhook: string, outcome: string): void {
    this.admissionReviews.inc({ webhook, outcome });
  }

  countNotification(format: string, outcome: string): void {
    this.notifications.inc({ format, outcome });
  }

  countSnapshot(outcome: string): void {
    this.snapshots.inc({ outcome });
  }

  /** Adds a gauge that is evaluated on each scrape: loaded states, their bytes, the age of each snapshot. */
  addGauge(gauge: {
    /** Without the prefix of the service. */
    readonly name: string;
    readonly help: string;
    readonly labelNames?: readonly string[];
    /** What several processes of a replica have together: the sum, or the greatest of what all of them know (the default). */
    readonly ofProcesses?: 'sum' | 'max';
    read(): Promise<readonly GaugeReading[]> | readonly GaugeReading[];
  }): void {
    new Gauge({
      name: `${PREFIX}${gauge.name}`,
      help: gauge.help,
      labelNames: [...(gauge.labelNames ?? [])],
      aggregator: gauge.ofProcesses ?? 'max',
      registers: [this.registry],
      async collect() {
        this.reset();
        for (const { labels, value } of await gauge.read()) this.set(labels ?? {}, value);
      },
    });
  }

  /** In a format of Prometheus; only OpenMetrics has traces as examples, and only where one process serves. */
  async render(format: keyof typeof FORMATS): Promise<RenderedMetrics> {
    const registry = await this.rendering(format);
    return { contentType: registry.contentType, text: await registry.metrics() };
  }

  /** The metrics of this process, as JSON. */
  collect(): Promise<unknown> {
    return this.registry.getMetricsAsJSON();
  }

  private async rendering(format: keyof typeof FORMATS): Promise<Registry<RegistryContentType>> {
    if (this.ofAllProcesses !== undefined) {
      // The package's types lack the second parameter.
      const { aggregate } = AggregatorRegistry as unknown as {
        readonly aggregate: (collected: readonly unknown[], contentType: string) => Registry<RegistryContentType>;
      };
      const collected = (await this.ofAllProcesses()) as readonly (readonly CollectedMetric[])[];
      const named = format === 'text' ? collected : collected.map((metrics) => metrics.map(withoutTotal));
      return aggregate(named, FORMATS[format]);
    }
    const registry = emptyRegistry(format);
    // Copies: OpenMetrics takes `_total` off the names of counters, which the text format needs.
    for (const metric of this.registry.getMetricsAsArray()) registry.registerMetric(Object.create(metric) as Metric);
    return registry;
  }
}

const FORMATS = { text: Registry.PROMETHEUS_CONTENT_TYPE, openMetrics: Registry.OPENMETRICS_CONTENT_TYPE } as const;

/** The part that is used here of what `collect` returns of one metric. */
interface CollectedMetric {
  readonly name: string;
  readonly type: string;
}

/** Counters as the package names them for OpenMetrics. */
const withoutTotal = (metric: CollectedMetric): CollectedMetric =>
  metric.type === 'counter' ? { ...metric, name: metric.name.replace(/_total$/, '') } : metric;

function emptyRegistry(format: keyof typeof FORMATS): Registry<RegistryContentType> {
  const registry = new Registry<RegistryContentType>();
  registry.setContentType(FORMATS[format]);
  return registry;
}

interface RequestLabels {
  readonly method: string;
  readonly route: string;
  readonly status: number;
}

export interface RenderedMetrics {
  readonly contentType: string;
  readonly text: string;
}

export interface GaugeReading {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}
