import type { Diagnostic } from '../core/diagnostic.ts'
import { didYouMean } from '../core/did-you-mean.ts'
import type { ProfileValues } from '../core/profile-values.ts'
import { LOCAL_PROFILE } from '../core/service-ref.ts'
import { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, entriesOf, scalarsIn, textOf } from '../document/document-node.ts'
import { toValue } from '../document/plain-value.ts'
import { readYaml } from '../document/read-yaml.ts'
import type { Config } from './config-schema.ts'
import type { ConfigFile } from './read-config.ts'

/** What a profile means for documents; `file` is the configuration, if there is one. */
export function profileValues(name: string, { profiles = {} }: Config, file: string | undefined): ProfileValues {
  const own = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  return { name, inputs: own?.inputs ?? {}, file, known: file === undefined ? undefined : namesOf(profiles) }
}

/** The profiles that `--profile all` means: those of audience.yaml, and the one that it names as `profile`. */
export function allProfiles({ profiles = {}, profile }: Config): readonly string[] {
  const names = new Set([...Object.keys(profiles), ...(profile === undefined ? [] : [profile])])
  return names.size > 0 ? [...names] : [LOCAL_PROFILE]
}

function namesOf(profiles: NonNullable<Config['profiles']>): string[] {
  return [...new Set([LOCAL_PROFILE, ...Object.keys(profiles)])]
}

/** The configuration with the exact integers of its inputs, because a number cannot hold a 64-bit id. */
export function withExactInputs(config: Config, root: DocumentNode): Config {
  if (!config.profiles) return config
  const nodes = childOf(root, 'profiles')
  const profiles = Object.entries(config.profiles).map(([name, profile]) => {
    const inputs = entriesOf(childOf(childOf(nodes, name), 'inputs')).map(([key, { value }]) => [key, toValue(value)])
    return [name, profile.inputs ? { ...profile, inputs: Object.fromEntries(inputs) } : profile]
  })
  return { ...config, profiles: Object.fromEntries(profiles) }
}

/** Reports expressions in the inputs of a profile, because its values must be the same for every run. */
export function checkProfileInputs(profile: DocumentNode, reporter: DiagnosticCollector): void {
  const hint = 'write a plain value; a trigger or a step can give one with an expression'
  for (const node of scalarsIn(childOf(profile, 'inputs')))
    if (textOf(node)?.includes('${{'))
      reporter.error({ code: 'expression-not-here', message: 'expressions are not evaluated here', hint }, node)
}

/** Warnings about inputs of profiles that none of the documents declares. */
export function undeclaredInputs(
  { file, text }: Pick<ConfigFile, 'file' | 'text'>,
  profiles: readonly ProfileValues[],
  declared: ReadonlySet<string>,
): readonly Diagnostic[] {
  const reporter = new DiagnosticCollector(file, text)
  const root = readYaml(text, new DiagnosticCollector(file, text))
  for (const { name } of profiles) {
    for (const [input, { key }] of entriesOf(childOf(childOf(childOf(root, 'profiles'), name), 'inputs'))) {
      if (declared.has(input)) continue
      const message = `no pipeline declares the input ${input}, which the profile ${name} gives`
      const hint = didYouMean(input, [...declared]) ?? 'remove it, or declare it in a document'
      reporter.warning({ code: 'unknown-input', message, hint }, key)
    }
  }
  return reporter.diagnostics()
}
