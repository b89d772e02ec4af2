import { resolve } from 'node:path'
import { DAY_MS } from '../core/duration.ts'
import type { MembershipRule, Privacy } from '../core/privacy.ts'
import { durationOf } from './duration-of.ts'
import type { PrivacyConfig } from './privacy-schema.ts'

/** The protection of people from a configuration that its schema has checked; paths are relative to `folder`. */
export function privacyOf(config: PrivacyConfig = {}, folder: string): Privacy {
  const { suppress = [], membership } = config
  return {
    suppress: suppress.map((one) =>
      typeof one === 'string' ? resolve(folder, one) : { ...one, file: resolve(folder, one.file) },
    ),
    membership: membershipOf(membership),
  }
}

function membershipOf(rule: PrivacyConfig['membership']): MembershipRule {
  if (typeof rule === 'string') return { kind: rule }
  return { kind: 'fingerprints', keepMs: durationOf(rule?.keep, 30 * DAY_MS) }
}
