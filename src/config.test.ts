import { describe, expect, it } from '@jest/globals';
import { ConfigError, readConfig } from './config.js';

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
});
