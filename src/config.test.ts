import { describe, expect, it } from '@jest/globals';
import { ConfigError, readConfig, readMigrationConfig } from './config.js';

describe('settings', () => {
  it('have defaults, and an empty variable counts as absent', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '' })).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      database: { dataDir: './data' },
    });
  });

  it('that are wrong are all named at once', () => {
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
  ])('ask for names or not: with %s', (_, settings, mode) => {
    expect(readConfig(settings).authentication.mode).toBe(mode);
    expect(readConfig(settings).rateLimit > 0).toBe(mode === 'required');
  });

  it.each([
    ['an issuer over plain HTTP', { ...issuer, OIDC_ISSUER: 'http://id.example' }, 'OIDC_ISSUER: must be an https'],
    ['an issuer that is no address', { ...issuer, OIDC_ISSUER: 'id.example' }, 'OIDC_ISSUER: must be an https'],
    ['an issuer without an audience', { OIDC_ISSUER: issuer.OIDC_ISSUER }, 'says nothing without OIDC_AUDIENCE'],
    ['a claim without an issuer', { OIDC_GROUPS_CLAIM: 'roles' }, 'says nothing without OIDC_ISSUER'],
    ['a word for authentication', { AUTHENTICATION: 'on' }, 'AUTHENTICATION: must be required or off'],
  ])('refuse %s', (_, settings, says) => {
    expect(() => readConfig(settings)).toThrow(says);
  });

  it('of a migration name two addresses', () => {
    const settings = { MIGRATION_DATABASE_URL: 'postgres://owner@x/y', DATABASE_URL: 'postgres://service@x/y' };
    expect(readMigrationConfig(settings)).toEqual({
      ownerUrl: settings.MIGRATION_DATABASE_URL,
      serviceUrl: settings.DATABASE_URL,
    });
    const wrong = { MIGRATION_DATABASE_URL: '', DATABASE_URL: 'mysql://x' };
    for (const name of Object.keys(wrong)) expect(() => readMigrationConfig(wrong)).toThrow(`  ${name}: must be`);
  });
});
