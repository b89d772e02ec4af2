import { didYouMean } from '../core/did-you-mean.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, entriesOf, itemsOf, textOf } from '../document/document-node.ts'

/**
 * Checks what the schema of audience.yaml cannot express about channels: which keys go together, and the names in `to`.
 */
export function checkNotify(root: DocumentNode, reporter: DiagnosticCollector): void {
  const notify = childOf(root, 'notify')
  const smtp = childOf(root, 'smtp')
  const channels = entriesOf(childOf(notify, 'channels'))
  for (const [name, { key, value }] of channels) {
    const webhook = childOf(value, 'webhook')
    const email = childOf(value, 'email')
    if (value.kind === 'map' && (webhook === undefined) === (email === undefined)) {
      reporter.error({ code: 'wrong-value', message: `channel ${name} has to be either a webhook or email` }, key)
    }
    if (webhook?.kind === 'map' && has(webhook, 'url') === has(webhook, 'urlEnv')) {
      const problem = { code: 'wrong-value', message: `the webhook of ${name} needs either url or urlEnv` }
      reporter.error(problem, entriesOf(value).find(([kind]) => kind === 'webhook')?.[1].key ?? key)
    }
    const url = childOf(webhook, 'url')
    if (url && !/^https?:\/\//.test(textOf(url) ?? 'https://')) {
      reporter.error({ code: 'wrong-value', message: 'url must begin with https:// or http://' }, url)
    }
    if (email && !smtp) {
      reporter.error({ code: 'missing-key', message: `channel ${name} sends e-mail, and there is no smtp` }, key)
    }
  }
  if (smtp?.kind === 'map' && has(smtp, 'user') !== has(smtp, 'passwordEnv')) {
    reporter.error({ code: 'missing-key', message: 'smtp needs user and passwordEnv together, or none of them' }, smtp)
  }
  const names = channels.map(([name]) => name)
  for (const item of itemsOf(childOf(notify, 'to'))) {
    const name = textOf(item)
    if (name === undefined || names.includes(name)) continue
    const hint = didYouMean(name, names)
    reporter.error({ code: 'unknown-channel', message: `there is no channel ${name}`, hint }, item)
  }
}

function has(node: DocumentNode, key: string): boolean {
  return childOf(node, key) !== undefined
}
