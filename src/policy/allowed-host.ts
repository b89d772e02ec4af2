import { hostOf, isListedHost } from '../core/host-pattern.ts'
import type { Policy, PolicyProblem } from '../core/policy.ts'
import { isForbiddenAddress } from './forbidden-address.ts'

/** The reason why a document may not call a URL. The addresses behind a name are checked when it is called. */
export function hostProblem(url: URL, { webhookHosts }: Policy): PolicyProblem | undefined {
  const host = hostOf(url)
  if (isForbiddenAddress(host)) return forbiddenAddress(host)
  if (/(^|\.)(\.|$)/.test(host)) return emptyPart(url.host)
  if (!webhookHosts || isListedHost(url, webhookHosts)) return undefined
  return {
    severity: 'error',
    code: 'host-not-allowed',
    message: `${url.host} is not in policy.webhookHosts of audience.yaml`,
    hint: 'add it there if documents are to call it; or use `notify` in audience.yaml instead: docs/notify.md',
  }
}

/** Programs read a host such as `169.254.169.254..` differently, and a proxy may call the address in it. */
function emptyPart(host: string): PolicyProblem {
  return {
    severity: 'error',
    code: 'host-not-allowed',
    message: `${host} is not a host: a part between its dots is empty`,
    hint: 'write the host of the receiver, with one dot between its parts',
  }
}

/** The problem with a host for users who want every host listed. */
export function unlistedHost(url: URL): PolicyProblem {
  return {
    severity: 'warning',
    code: 'host-not-allowed',
    message: `no policy.webhookHosts in audience.yaml lists ${url.host}`,
    hint: `policy: { webhookHosts: ["${hostOf(url)}"] }`,
  }
}

/** The problem with a `host` that leads to an address that no web hook may call. */
export function forbiddenAddress(host: string): PolicyProblem {
  return {
    severity: 'error',
    code: 'host-not-allowed',
    message: `${host} is a link-local or metadata address, which web hooks of documents never call`,
    hint: 'use the address of the receiver itself',
  }
}
