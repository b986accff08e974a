/** Where traces go, and which. */
export interface TracingSettings {
  /** URL that takes spans by OTLP, with its path. */
  readonly endpoint: string;
  readonly protocol: (typeof OTLP_PROTOCOLS)[number];
  readonly serviceName: string;
  readonly sampler: SamplerSettings;
}

export interface SamplerSettings {
  readonly decision: 'always_on' | 'always_off' | 'traceidratio';
  /** From 0 to 1. */
  readonly ratio: number;
  /** Whether a request that is a part of a trace is sampled if that is. */
  readonly followsParent: boolean;
}

export const OTLP_PROTOCOLS = ['http/protobuf', 'http/json'] as const;

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** The variables of OpenTelemetry that are read here; the exporter reads more. */
export interface TracingVariables {
  readonly OTEL_SDK_DISABLED: 'true' | 'false';
  readonly OTEL_TRACES_EXPORTER: 'otlp' | 'none';
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_PROTOCOL: (typeof OTLP_PROTOCOLS)[number];
  readonly OTEL_EXPORTER_OTLP_TRACES_PROTOCOL?: (typeof OTLP_PROTOCOLS)[number] | undefined;
  readonly OTEL_SERVICE_NAME: string;
  readonly OTEL_TRACES_SAMPLER: (typeof SAMPLERS)[number];
  readonly OTEL_TRACES_SAMPLER_ARG: number;
}

/** @returns undefined: no traces */
export function tracingSettings(given: TracingVariables): TracingSettings | undefined {
  if (given.OTEL_SDK_DISABLED === 'true' || given.OTEL_TRACES_EXPORTER === 'none') return undefined;
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_TRACES_SAMPLER: sampler } = given;
  const endpoint =
    given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ??
    (base === undefined ? undefined : `${base.replace(/\/$/, '')}/v1/traces`);
  if (endpoint === undefined) return undefined;
  return {
    endpoint,
    protocol: given.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? given.OTEL_EXPORTER_OTLP_PROTOCOL,
    serviceName: given.OTEL_SERVICE_NAME,
    sampler: {
      decision: sampler.replace('parentbased_', '') as SamplerSettings['decision'],
      ratio: given.OTEL_TRACES_SAMPLER_ARG,
      followsParent: sampler.startsWith('parentbased_'),
    },
  };
}
