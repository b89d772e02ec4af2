import { readFileSync } from 'node:fs'
import { decodeText } from '../core/decode-text.ts'
import { InvalidDocumentError } from '../core/errors.ts'
import { violationsOf } from '../core/validation.ts'
import { toPlain } from '../document/plain-value.ts'
import { readYaml } from '../document/read-yaml.ts'
import { reportViolations, type ViolationTexts } from '../document/report-violations.ts'
import { Reporter } from '../document/reporter.ts'
import { utf8Text } from '../document/utf8-text.ts'
import { validators } from '../generated/validators.ts'
import { checkNotify } from './check-notify.ts'
import { checkPolicy } from './check-policy.ts'
import { ADDRESS_PATTERN, type Config, configSchema } from './config-schema.ts'
import { findConfig } from './find-config.ts'
import { resolveSettings } from './resolve-settings.ts'
import { channelNames, type Settings } from './settings.ts'

/** The settings of a command: audience.yaml from the working directory upwards, the environment over it, flags over both. */
export function loadSettings(sources: {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly flags: { readonly profile?: string }
}): Settings {
  const file = findConfig(sources.cwd)
  const config = file === undefined ? {} : parseConfig(utf8Text(decodeText(readFileSync(file)), file), file)
  return resolveSettings({ ...sources, config, file })
}

const CONFIG_TEXTS: ViolationTexts = {
  top: 'at the top of a configuration',
  patterns: { [ADDRESS_PATTERN]: 'must be an e-mail address such as data-team@example.com' },
}

/** Throws InvalidDocumentError with everything that is wrong with the file. */
export function parseConfig(text: string, file: string): Config {
  // A file with nothing but comments says nothing, and that is fine.
  if (/^(\s*(#.*)?\n?)*$/.test(text)) return {}
  const reporter = new Reporter(file, text)
  const root = readYaml(text, reporter)
  const value = root && toPlain(root)
  if (root) {
    const violations = violationsOf(validators.config, value)
    reportViolations({ root, schema: configSchema, violations, texts: CONFIG_TEXTS }, reporter)
    checkNotify(root, reporter)
    // The schema has just said so.
    if (!reporter.hasErrors) checkPolicy(root, value as Config, reporter)
  }
  if (reporter.hasErrors) throw new InvalidDocumentError(file, text, reporter.diagnostics())
  // The schema has just said so.
  return value as Config
}

/** The channels of the nearest audience.yaml; undefined where there is none, and then they cannot be known. */
export function knownChannels(cwd: string): readonly string[] | undefined {
  const file = findConfig(cwd)
  return file === undefined
    ? undefined
    : channelNames(parseConfig(utf8Text(decodeText(readFileSync(file)), file), file))
}
