import { context, diag, DiagLogLevel, propagation } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { SamplerSettings, TracingSettings } from './tracing-settings.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { useTracer } from './tracing.js';

/** A collector that is away must not hold up the end of the service. */
const LAST_SPANS_MS = 3000;

export interface RunningTracing {
  /** Sends what is left, and turns tracing off. */
  stop(): Promise<void>;
}

/**
 * Turns tracing on for the process. Headers, timeouts and compression of the exporter come from the variables of OpenTelemetry
 * (`OTEL_EXPORTER_OTLP_HEADERS`, ...), so that secrets stay out of the settings.
 * @param warn is told when spans cannot be sent; the service goes on without
 */
export function startTracing(
  { endpoint, protocol, serviceName, sampler }: TracingSettings,
  version: string,
  warn: (message: string) => void,
): RunningTracing {
  const silent = (): void => undefined;
  diag.setLogger({ error: warn, warn, info: silent, debug: silent, verbose: silent }, DiagLogLevel.WARN);
  const exporter = new (protocol === 'http/json' ? JsonExporter : ProtobufExporter)({ url: endpoint });
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(sampler),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const contexts = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contexts);
  // Without baggage: what a caller sends in it is none of a receiver's business.
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  useTracer(provider.getTracer('kube-placement', version));
  return {
    async stop() {
      useTracer(undefined);
      const sent = provider.shutdown().catch((error: unknown) => {
        warn(`the last spans were not sent: ${error instanceof Error ? error.message : String(error)}`);
      });
      await Promise.race([sent, sleep(LAST_SPANS_MS, undefined, { ref: false })]);
      context.disable();
      propagation.disable();
      diag.disable();
    },
  };
}

function samplerOf({ decision, ratio, followsParent }: SamplerSettings): Sampler {
  const root =
    decision === 'always_on'
      ? new AlwaysOnSampler()
      : decision === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return followsParent ? new ParentBasedSampler({ root }) : root;
}
