import { invalid, type FieldError } from '../../field-error.js';
import type { FieldPath } from '../../field-path.js';
import type { WholePodSpec, WindowsOptions } from '../../objects/whole-pod.js';
import { byteLength } from '../names.js';
import { nameIsDnsSubdomain } from '../object-names.js';
import { complaints } from './complaints.js';
import { containersWithPath } from './containers-with-path.js';

const CREDENTIAL_SPEC_KIB = 64;
const DOMAIN_LENGTH = 256;
const USER_LENGTH = 104;
const NET_BIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const DNS_DOMAIN = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);

/** `validateWindowsSecurityContextOptions`. Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go. */
export function validateWindowsOptions(options: WindowsOptions, path: FieldPath): FieldError[] {
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  const errors: FieldError[] = [];
  if (gmsaCredentialSpecName !== undefined) {
    errors.push(...complaints(nameIsDnsSubdomain, gmsaCredentialSpecName, path.child('gmsaCredentialSpecName')));
  }
  if (gmsaCredentialSpec !== undefined) {
    const at = path.child('gmsaCredentialSpec');
    if (gmsaCredentialSpec === '') {
      errors.push(invalid(at, gmsaCredentialSpec, 'gmsaCredentialSpec cannot be an empty string'));
    } else if (byteLength(gmsaCredentialSpec) > CREDENTIAL_SPEC_KIB * 1024) {
      errors.push(invalid(at, gmsaCredentialSpec, `gmsaCredentialSpec size must be under ${CREDENTIAL_SPEC_KIB} KiB`));
    }
  }
  if (runAsUserName !== undefined) {
    const at = path.child('runAsUserName');
    errors.push(...userNameFaults(runAsUserName).map((message) => invalid(at, runAsUserName, message)));
  }
  return errors;
}

/** The faults of a user name, which may be preceded by a domain and a backslash. */
function userNameFaults(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (/[\x00-\x1f\x7f]/.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  const domain = parts.length === 2 ? (parts[0] ?? '') : undefined;
  const faults: string[] = [];
  if (domain !== undefined && byteLength(domain) >= DOMAIN_LENGTH) {
    faults.push(`runAsUserName's Domain length must be under ${DOMAIN_LENGTH} characters`);
  }
  if (domain !== undefined && !NET_BIOS.test(domain) && !DNS_DOMAIN.test(domain)) {
    faults.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === '') faults.push("runAsUserName's User cannot be empty");
  else if (byteLength(user) > USER_LENGTH) {
    faults.push(`runAsUserName's User length must not be longer than ${USER_LENGTH} characters`);
  }
  if (/^[. ]+$/.test(user)) faults.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    faults.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  }
  return faults;
}

/** `validateWindowsHostProcessPod`: either all containers run as processes of the host, or none do. */
export function validateHostProcess(spec: WholePodSpec, path: FieldPath): FieldError[] {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = containersWithPath(spec, path);
  const errors: FieldError[] = [];
  let count = 0;
  for (const { container, path: at } of containers) {
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const rule = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      errors.push(invalid(at.child('securityContext', 'windowsOptions', 'hostProcess'), { text: String(own) }, rule));
    }
    if (own ?? ofPod ?? false) count += 1;
  }
  if (count === 0) return errors;
  if (count !== containers.length) {
    const rule = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    errors.push(invalid(path, '', rule));
  }
  if (spec.hostNetwork !== true) {
    const rule = 'hostNetwork must be true if pod contains any hostProcess containers';
    errors.push(invalid(path.child('hostNetwork'), { text: 'false' }, rule));
  }
  return errors;
}
