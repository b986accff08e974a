import { describe, expect, it } from '@jest/globals';
import { availableParallelism } from 'node:os';
import { ConfigError, readConfig, readMigrationConfig } from './config.js';

describe('settings', () => {
  it('have defaults, and an empty variable counts as absent', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '' })).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      database: { dataDir: './data' },
    });
  });

  it('that are invalid are reported together', () => {
    const wrong = { PORT: '70000', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://x', BODY_LIMIT: '4 MB' };
    expect(() => readConfig(wrong)).toThrow(ConfigError);
    for (const name of Object.keys(wrong)) expect(() => readConfig(wrong)).toThrow(name);
    expect(() => readConfig({ ...wrong, HOST: 'x' })).not.toThrow(/HOST:/);
  });

  const issuer = { OIDC_ISSUER: 'https://id.example', OIDC_AUDIENCE: 'kube-placement' };
  it.each([
    ['the default address', {}, 'off'],
    ['another address of this machine', { HOST: '127.3.2.1' }, 'off'],
    ['the name of this machine', { HOST: 'localhost' }, 'off'],
    ['this machine by IPv6', { HOST: '::1' }, 'off'],
    ['every address', { HOST: '0.0.0.0' }, 'required'],
    ['every address by IPv6', { HOST: '::' }, 'required'],
    ['a name that only looks like this machine', { HOST: '127.0.0.1.example' }, 'required'],
    ['every address, and plain words', { HOST: '0.0.0.0', AUTHENTICATION: 'off' }, 'off'],
    ['the default address, and plain words', { AUTHENTICATION: 'required' }, 'required'],
    ['the default address, and a file of tokens', { AUTH_FILE: 'auth.yaml' }, 'required'],
    ['the default address, and an identity provider', issuer, 'required'],
  ])('require authentication or not: with %s', (_, settings, mode) => {
    expect(readConfig(settings).authentication.mode).toBe(mode);
    expect(readConfig(settings).rateLimit > 0).toBe(mode === 'required');
  });

  it.each([
    ['an issuer over plain HTTP', { ...issuer, OIDC_ISSUER: 'http://id.example' }, 'OIDC_ISSUER: must be an https'],
    ['an issuer that is not a URL', { ...issuer, OIDC_ISSUER: 'id.example' }, 'OIDC_ISSUER: must be an https'],
    ['an issuer without an audience', { OIDC_ISSUER: issuer.OIDC_ISSUER }, 'has no effect without OIDC_AUDIENCE'],
    ['a claim without an issuer', { OIDC_GROUPS_CLAIM: 'roles' }, 'has no effect without OIDC_ISSUER'],
    ['a host with a port', { ALLOWED_HOSTS: 'a.example,b.example:80' }, 'ALLOWED_HOSTS: must be host names'],
    ['an empty host', { ALLOWED_HOSTS: 'a.example,' }, 'ALLOWED_HOSTS: must be host names'],
    ['every host', { ALLOWED_HOSTS: '*' }, 'ALLOWED_HOSTS: must be host names'],
    ['an origin with a path', { ALLOWED_ORIGINS: 'https://a.example/' }, 'ALLOWED_ORIGINS: must be origins'],
    ['an origin without a scheme', { ALLOWED_ORIGINS: 'a.example' }, 'ALLOWED_ORIGINS: must be origins'],
    ['every origin', { ALLOWED_ORIGINS: '*' }, 'ALLOWED_ORIGINS: must be origins'],
    ['the opaque origin', { ALLOWED_ORIGINS: 'null' }, 'ALLOWED_ORIGINS: must be origins'],
    ['a public URL that is not a URL', { PUBLIC_URL: '/placement' }, 'PUBLIC_URL: must be an http'],
    ['a public URL with a query', { PUBLIC_URL: 'https://a.example/?x' }, 'PUBLIC_URL: must be an http'],
    ['a number of proxies', { TRUST_PROXY: '1' }, 'TRUST_PROXY: must be proxy addresses'],
    ['an invalid range of proxies', { TRUST_PROXY: '10.0.0.0/33' }, 'TRUST_PROXY: must be proxy addresses'],
    ['no workers', { WORKERS: '0' }, 'WORKERS: must be auto, or a number from 1 to 99'],
    ['a number of workers in words', { WORKERS: 'two' }, 'WORKERS: must be auto, or a number from 1 to 99'],
    ['an unknown value for authentication', { AUTHENTICATION: 'on' }, 'AUTHENTICATION: must be required or off'],
  ])('reject %s', (_, settings, says) => {
    expect(() => readConfig(settings)).toThrow(says);
  });

  it('for workers are a number, or as many as there are cores', () => {
    expect(readConfig({}).workers).toBe(1);
    expect(readConfig({ WORKERS: '12' }).workers).toBe(12);
    expect(readConfig({ WORKERS: 'auto' }).workers).toBeGreaterThanOrEqual(1);
    expect(readConfig({ WORKERS: 'auto' }).workers).toBeLessThanOrEqual(availableParallelism());
  });

  it('for hosts, origins and proxies are lists', () => {
    const settings = {
      ALLOWED_HOSTS: 'placement.internal, *.corp.example,10.0.0.7,[::2]',
      ALLOWED_ORIGINS: 'https://dash.example,http://localhost:8080, chrome-extension://abc',
      PUBLIC_URL: 'https://tools.example/placement/',
      TRUST_PROXY: 'loopback,10.0.0.0/8,fd00::/8',
    };
    expect(readConfig(settings).web).toEqual({
      allowedHosts: ['placement.internal', '*.corp.example', '10.0.0.7', '[::2]'],
      allowedOrigins: ['https://dash.example', 'http://localhost:8080', 'chrome-extension://abc'],
      publicUrl: 'https://tools.example/placement',
      trustProxy: ['loopback', '10.0.0.0/8', 'fd00::/8'],
    });
    expect(readConfig({}).web).toEqual({ allowedOrigins: [] });
  });

  it('for a migration have two URLs', () => {
    const settings = { MIGRATION_DATABASE_URL: 'postgres://owner@x/y', DATABASE_URL: 'postgres://service@x/y' };
    expect(readMigrationConfig(settings)).toEqual({
      ownerUrl: settings.MIGRATION_DATABASE_URL,
      serviceUrl: settings.DATABASE_URL,
    });
    const wrong = { MIGRATION_DATABASE_URL: '', DATABASE_URL: 'mysql://x' };
    for (const name of Object.keys(wrong)) expect(() => readMigrationConfig(wrong)).toThrow(`  ${name}: must be`);
  });
});

describe('settings of traces', () => {
  it.each([
    [{}, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/', OTEL_SDK_DISABLED: 'true' }, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_TRACES_EXPORTER: 'none' }, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/base/' }, 'http://c:4318/base/v1/traces'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://t/in' },
      'https://t/in',
    ],
  ])('say where they go: %j', (env, endpoint) => {
    expect(readConfig(env).tracing?.endpoint).toBe(endpoint);
  });

  it('say which are sent', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' };
    const { tracing } = readConfig({
      ...endpoint,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    });
    expect(tracing?.sampler).toEqual({ decision: 'traceidratio', ratio: 0.25, followsParent: true });
    const wrong = { OTEL_TRACES_SAMPLER: 'some', OTEL_TRACES_SAMPLER_ARG: '2', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    for (const name of Object.keys(wrong))
      expect(() => readConfig({ ...endpoint, ...wrong })).toThrow(`${name}: must be`);
  });
});
