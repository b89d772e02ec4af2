import { didYouMean } from '../core/did-you-mean.ts'
import { LOCAL_PROFILE } from '../core/service-ref.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, entriesOf, textOf } from '../document/document-node.ts'

/**
 * Checks what the schema of audience.yaml cannot express about profiles: the name in `profile`, and what `local` may
 * contain.
 */
export function checkProfiles(root: DocumentNode, reporter: DiagnosticCollector): void {
  const profiles = childOf(root, 'profiles')
  const names = [LOCAL_PROFILE, ...entriesOf(profiles).map(([name]) => name)]
  const profile = childOf(root, 'profile')
  const name = textOf(profile)
  if (profile && name !== undefined && !names.includes(name)) {
    const hint = didYouMean(name, names) ?? `add ${name} under \`profiles\``
    reporter.error({ code: 'unknown-profile', message: `there is no profile ${name}`, hint }, profile)
  }
  for (const [key, { key: at }] of entriesOf(childOf(profiles, LOCAL_PROFILE))) {
    if (key === 'limits') continue
    const message = `${LOCAL_PROFILE} is the embedded service, which has no ${key}`
    reporter.error({ code: 'wrong-value', message, hint: 'give a service of your own another name' }, at)
  }
}
