import type { Check, CheckPod } from '../check.js';

const SINCE_0 = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const SINCE_27 = [...SINCE_0, 'net.ipv4.ip_local_reserved_ports'];
const SINCE_29 = [
  ...SINCE_27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const SINCE_32 = [...SINCE_29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

const allowing =
  (names: readonly string[]): CheckPod =>
  ({ spec }) => {
    const set = (spec.securityContext?.sysctls ?? []).map(({ name = '' }) => name);
    const bad = set.filter((name) => !names.includes(name));
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
  };

/** Source: k8s.io/pod-security-admission v0.36.2, policy/check_sysctls.go. */
export const sysctls: Check = {
  id: 'sysctls',
  level: 'baseline',
  versions: [
    { since: 0, check: allowing(SINCE_0) },
    { since: 27, check: allowing(SINCE_27) },
    { since: 29, check: allowing(SINCE_29) },
    { since: 32, check: allowing(SINCE_32) },
  ],
};
