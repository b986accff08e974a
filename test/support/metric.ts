import type { TestService } from './service.js';

/** The sum of the samples whose names, without the prefix of the service, begin like this. */
export async function metric(service: Pick<TestService, 'request'>, name: string): Promise<number> {
  const { text } = await service.request('GET', '/metrics');
  return text
    .split('\n')
    .filter((line) => line.startsWith(`kube_placement_${name}`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
