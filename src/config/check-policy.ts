import { readHostPattern } from '../core/host-pattern.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, itemsOf, textOf } from '../document/document-node.ts'
import type { Config } from './config-schema.ts'
import { secretVariables } from './policy-of.ts'

/** Checks what the schema of audience.yaml cannot express about `policy` and `hosts`; `config` matches the schema. */
export function checkPolicy(root: DocumentNode, config: Config, reporter: DiagnosticCollector): void {
  const secrets = secretVariables(config)
  const policy = childOf(root, 'policy')
  for (const item of [...itemsOf(childOf(policy, 'webhookHosts')), ...itemsOf(childOf(root, 'hosts'))]) {
    const text = textOf(item)
    if (text === undefined || readHostPattern(text)) continue
    const hint = 'write hooks.example.com, *.example.com or hooks.example.com:8443, without https:// and path'
    reporter.error({ code: 'wrong-value', message: `${text} is not a host`, hint }, item)
  }
  for (const item of itemsOf(childOf(policy, 'env'))) {
    const name = textOf(item)
    if (name === undefined || !(name.startsWith('AUDIENCE_') || secrets.includes(name))) continue
    const message = `${name} is for audience itself: documents never read it`
    reporter.error({ code: 'wrong-value', message, hint: 'give documents a variable of their own' }, item)
  }
}
