import { describe, expect, it } from '@jest/globals';
import { AddressGuard, AddressRefused } from './address-guard.js';

const refused = (guard: AddressGuard, host: string): boolean => {
  try {
    guard.checkHost(host);
    return false;
  } catch (error) {
    return error instanceof AddressRefused;
  }
};

const looked = (guard: AddressGuard, host: string, all: boolean): Promise<unknown> =>
  new Promise((resolve) => {
    guard.lookup(host, { all }, (error, address) => {
      resolve(error ?? address);
    });
  });

describe('the guard of addresses', () => {
  it('refuses addresses that no API server has, however they are written', () => {
    const guard = new AddressGuard(true);
    const bad = [
      '169.254.169.254',
      '[fe80::1]',
      '0.0.0.0',
      '[::]',
      '[::ffff:169.254.169.254]',
      '224.0.0.1',
      '[ff02::1]',
      '[fd00:ec2::254]',
    ];
    expect(bad.filter((host) => !refused(guard, host))).toEqual([]);
    const good = [
      '10.0.0.1',
      '192.168.1.1',
      '172.16.0.1',
      '[fd12::1]',
      '203.0.113.7',
      '127.0.0.1',
      '[::1]',
      'api.example.com',
    ];
    expect(good.filter((host) => refused(guard, host))).toEqual([]);
  });

  it('refuses its own machine unless that is allowed', async () => {
    const guard = new AddressGuard(false);
    expect(['127.0.0.1', '127.8.8.8', '[::1]', '[::ffff:127.0.0.1]'].filter((host) => !refused(guard, host))).toEqual(
      [],
    );
    // A name is refused after it is resolved.
    expect(refused(guard, 'localhost')).toBe(false);
    expect(await looked(guard, 'localhost', true)).toBeInstanceOf(AddressRefused);
    expect(await looked(guard, 'localhost', false)).toBeInstanceOf(AddressRefused);
    expect(await looked(new AddressGuard(true), 'localhost', false)).toMatch(/^(127\.0\.0\.1|::1)$/);
  });

  it('refuses receivers in private networks unless they are allowed, and never where clouds serve credentials', async () => {
    const inside = [
      '127.0.0.1',
      '[::1]',
      '10.1.2.3',
      '172.31.0.1',
      '192.168.0.1',
      '100.64.0.1',
      '198.19.0.1',
      '240.0.0.1',
      '[fd12::1]',
      '[fec0::1]',
      '[::ffff:10.1.2.3]',
      '[::10.1.2.3]',
      '[64:ff9b::a01:203]',
      '[2002:a01:203::1]',
      '[2001:0:a01:203::1]',
    ];
    const never = [
      '169.254.169.254',
      '[::ffff:169.254.169.254]',
      '[fe80::1]',
      '0.0.0.0',
      '224.0.0.1',
      '[fd00:ec2::254]',
    ];
    const strict = AddressGuard.ofReceivers([]);
    expect([...inside, ...never].filter((host) => !refused(strict, host))).toEqual([]);
    expect(['203.0.113.7', '[2606:4700::1111]', 'hooks.example.com'].filter((host) => refused(strict, host))).toEqual(
      [],
    );
    expect(await looked(strict, 'localhost', true)).toBeInstanceOf(AddressRefused);

    const some = AddressGuard.ofReceivers(['10.1.0.0/16', '192.168.0.1', '::1']);
    expect(['10.1.2.3', '[::ffff:10.1.2.3]', '192.168.0.1', '[::1]'].filter((host) => refused(some, host))).toEqual([]);
    expect(['10.2.0.1', '192.168.0.2', '127.0.0.1'].filter((host) => !refused(some, host))).toEqual([]);
    const all = AddressGuard.ofReceivers(['0.0.0.0/0', '::/0']);
    expect(inside.filter((host) => refused(all, host))).toEqual([]);
    expect(never.filter((host) => !refused(all, host))).toEqual([]);
  });
});
