import { readFileSync } from 'node:fs'
import { InvalidDocumentError } from '../core/errors.ts'
import { violationsOf } from '../core/validation.ts'
import { readYaml } from '../document/read-yaml.ts'
import { schemaDiagnostics } from '../document/schema-diagnostics.ts'
import { validators } from '../generated/validators.ts'
import { type Config, configSchema } from './config-schema.ts'
import { findConfig } from './find-config.ts'
import { resolveSettings } from './resolve-settings.ts'
import type { Settings } from './settings.ts'

/** The settings of a command: audience.yaml from the working directory upwards, the environment over it, flags over both. */
export function loadSettings(sources: {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly flags: { readonly profile?: string }
}): Settings {
  const file = findConfig(sources.cwd)
  const config = file === undefined ? {} : parseConfig(readFileSync(file, 'utf8'), file)
  return resolveSettings({ ...sources, config, file })
}

/** Throws InvalidDocumentError with everything that is wrong with the file. */
export function parseConfig(text: string, file: string): Config {
  const { yaml, diagnostics } = readYaml(text, file)
  if (!yaml) throw new InvalidDocumentError(file, text, diagnostics)
  const value = yaml.value ?? {}
  const violations = violationsOf(validators.config, value)
  if (violations.length > 0)
    throw new InvalidDocumentError(file, text, schemaDiagnostics(yaml, configSchema, violations))
  // The schema has just said so.
  return value as Config
}
