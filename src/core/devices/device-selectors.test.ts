import { describe, expect, it } from '@jest/globals';
import type { Device } from '../kubernetes/objects/dra.js';
import { selects } from './device-selectors.js';

const GPU: Device = {
  name: 'gpu-0',
  attributes: {
    model: { string: 'a100' },
    index: { int: 3 },
    ecc: { bool: true },
    driverVersion: { version: '1.10.0' },
    'resource.kubernetes.io/pcieRoot': { string: 'pci0000:00' },
  },
  capacity: { memory: { value: '40Gi' } },
};

function verdict(expression: string, device = GPU): object {
  const found = selects(expression, 'gpu.example.com', device);
  return 'matches' in found ? { matches: found.matches } : { fault: found.fault, message: found.message };
}

describe('a selector of devices', () => {
  it.each([
    ['device.driver == "gpu.example.com"', true],
    ['device.attributes["gpu.example.com"].model in ["h100", "a100"]', true],
    ['device.attributes["gpu.example.com"].index < 3', false],
    ['device.attributes["gpu.example.com"].driverVersion.isGreaterThan(semver("1.9.0"))', true],
    ['device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0', true],
    ['device.attributes["resource.kubernetes.io"].pcieRoot == "pci0000:00"', true],
    ['device.allowMultipleAllocations', false],
    ['cel.bind(gpu, device.attributes["gpu.example.com"], gpu.ecc && gpu.model != "t4")', true],
  ])('%s gives %s', (expression, matches) => {
    expect(verdict(expression)).toEqual({ matches });
  });

  it('can be an attribute alone, which has to be a bool', () => {
    expect(verdict('device.attributes["gpu.example.com"].ecc')).toEqual({ matches: true });
    expect(verdict('device.attributes["gpu.example.com"].model')).toEqual({
      fault: 'runtime',
      message:
        "CEL result of type string could not be converted to bool: unsupported native conversion from string to 'bool'",
    });
  });

  it('fails for an attribute that the device lacks, also in a domain that it lacks', () => {
    const fault = { fault: 'runtime', message: 'no such key: cores' };
    expect(verdict('device.attributes["gpu.example.com"].cores == 1')).toEqual(fault);
    expect(verdict('device.attributes["nic.example.com"].cores == 1')).toEqual(fault);
  });

  it('finds every domain, but tells with "in" which ones the device has', () => {
    expect(verdict('has(device.attributes["nic.example.com"].cores)')).toEqual({ matches: false });
    expect(verdict('device.attributes[?"nic.example.com"].hasValue()')).toEqual({ matches: true });
    expect(verdict('"nic.example.com" in device.attributes')).toEqual({ matches: false });
  });

  it.each([
    ['device.driver', 'must evaluate to bool or the unknown type, not string'],
    [
      'device.attributes["gpu.example.com"].?ecc',
      'must evaluate to bool or the unknown type, not optional_type(google.protobuf.Any)',
    ],
  ])('%s does not compile: its type is not bool', (expression, message) => {
    expect(verdict(expression)).toEqual({ fault: 'compile', message });
  });

  it('names a type that is not known as "any" in errors', () => {
    const found = verdict('device.attributes["gpu.example.com"].model.startsWith(1)');
    expect(found).toMatchObject({ fault: 'compile' });
    expect(JSON.stringify(found)).toContain("found no matching overload for 'startsWith' applied to 'any.(int)'");
  });

  it('fails for a device with an attribute that cannot be read, even if it does not name it', () => {
    const device: Device = { name: 'gpu-1', attributes: { firmware: { version: '1.0' } } };
    expect(verdict('true', device)).toEqual({
      fault: 'runtime',
      message: 'attribute firmware: parse semantic version: No Major.Minor.Patch elements found',
    });
  });

  it('may cost no more than a million', () => {
    const list = `[${Array.from({ length: 40 }, (_, index) => index).join(', ')}]`;
    const nested = `${list}.all(a, ${list}.all(b, ${list}.all(c, ${list}.all(d, a + b + c + d >= 0))))`;
    expect(verdict(nested)).toEqual({
      fault: 'runtime',
      message: 'operation cancelled: actual cost limit exceeded',
    });
  });
});
