import { hostOf, isListedHost } from '../core/host-pattern.ts'
import type { Policy, PolicyProblem } from '../core/policy.ts'
import { isForbiddenAddress } from './forbidden-address.ts'

/** The reason why a document may not call a URL. The addresses behind a name are checked when it is called. */
export function hostProblem(url: URL, { webhookHosts }: Policy): PolicyProblem | undefined {
  const host = hostOf(url)
  if (isForbiddenAddress(host)) return forbiddenAddress(host)
  // Programs read a host such as `169.254.169.254..` differently, and a proxy may call the address in it.
  if (/(^|\.)(\.|$)/.test(host)) {
    const message = `${url.host} is not a host: a part between its dots is empty`
    return refusal(message, 'write the host of the receiver, with one dot between its parts')
  }
  if (!webhookHosts || isListedHost(url, webhookHosts)) return undefined
  const hint =
    'add it there if documents should be able to call it; or use `notify` in audience.yaml instead: docs/notify.md'
  return refusal(`${url.host} is not in policy.webhookHosts of audience.yaml`, hint)
}

/** The problem with a host that is not listed, for users who want every host to be listed. */
export function unlistedHost(url: URL): PolicyProblem {
  const hint = `policy: { webhookHosts: ["${hostOf(url)}"] }`
  return { ...refusal(`no policy.webhookHosts in audience.yaml lists ${url.host}`, hint), severity: 'warning' }
}

/** The problem with a `host` that leads to an address that no web hook may call. */
export function forbiddenAddress(host: string): PolicyProblem {
  const message = `${host} is a link-local or metadata address, which web hooks of documents never call`
  return refusal(message, 'use the address of the receiver itself')
}

function refusal(message: string, hint: string): PolicyProblem {
  return { severity: 'error', code: 'host-not-allowed', message, hint }
}
