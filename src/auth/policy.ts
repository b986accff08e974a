import { Access, type Grant } from './access.js';
import type { Binding } from './auth-file.js';
import type { Caller } from './caller.js';
import { ROLE_PERMISSIONS } from './permission.js';

/** The permissions that the bindings of the auth file grant. */
export class Policy {
  private readonly grants: readonly { readonly subjects: ReadonlySet<string>; readonly grant: Grant }[];

  constructor(bindings: readonly Binding[]) {
    this.grants = bindings.map((binding) => ({ subjects: new Set(binding.subjects), grant: grantOf(binding) }));
  }

  accessOf(caller: Caller): Access {
    const names = subjectsOf(caller);
    return new Access(
      this.grants.filter(({ subjects }) => names.some((name) => subjects.has(name))).map(({ grant }) => grant),
    );
  }
}

/** A token and a user with the same name are different callers. */
function subjectsOf({ kind, name, groups }: Caller): string[] {
  return ['*', kind === 'token' ? `token:${name}` : `user:${name}`, ...groups.map((group) => `group:${group}`)];
}

function grantOf({ clusters, roles, taintValues, onBehalfOf }: Binding): Grant {
  const patterns = clusters.map(compilePattern);
  return {
    covers: (cluster) => patterns.some((matches) => matches(cluster)),
    everyCluster: clusters.some((pattern) => /^\*+$/.test(pattern)),
    permissions: new Set(roles.flatMap((role) => ROLE_PERMISSIONS[role])),
    taintValues,
    onBehalfOf,
  };
}

/** Compiles `prod-*` or `*-eu-*`; matching takes time linear in the name, whatever the pattern. */
function compilePattern(pattern: string): (name: string) => boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (name) => name === first;
  return (name) => {
    if (!name.startsWith(first)) return false;
    let from = first.length;
    for (const part of rest) {
      const at = name.indexOf(part, from);
      if (at < 0) return false;
      from = at + part.length;
    }
    return name.length - last.length >= from && name.endsWith(last);
  };
}
