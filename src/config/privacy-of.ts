import { resolve } from 'node:path'
import { DAY_MS, parseDuration } from '../core/duration.ts'
import type { MembershipRule, Privacy } from '../core/privacy.ts'
import type { PrivacyConfig } from './privacy-schema.ts'

/** The protection of people from a configuration that its schema has checked; paths are relative to `folder`. */
export function privacyOf(config: PrivacyConfig = {}, folder: string): Privacy {
  const { suppress = [], membership } = config
  return {
    suppress: suppress.map((path) => resolve(folder, path)),
    membership: membershipOf(membership),
  }
}

function membershipOf(rule: PrivacyConfig['membership']): MembershipRule {
  if (typeof rule === 'string') return { kind: rule }
  // A duration too long for a number means for ever.
  const keepMs = rule === undefined ? 30 * DAY_MS : (parseDuration(rule.keep) ?? Number.MAX_SAFE_INTEGER)
  return { kind: 'fingerprints', keepMs }
}
