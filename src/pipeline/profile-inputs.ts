import { dirname, resolve } from 'node:path'
import { didYouMean } from '../core/did-you-mean.ts'
import type { InputDeclaration, Pipeline } from '../core/pipeline.ts'
import type { ProfileValues } from '../core/profile-values.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, itemsOf, textOf } from '../document/document-node.ts'
import type { DocumentPolicy } from '../policy/document-policy.ts'
import { type FilesOfMachine, missingFile } from './check-files-exist.ts'
import { reportPolicy } from './check-policy.ts'
import { partName, typedInput } from './input-value.ts'
import { mapFiles } from './named-files.ts'
import type { TriggerDraft } from './read-triggers.ts'

type Inputs = Readonly<Record<string, InputDeclaration>>

/**
 * The inputs with the defaults that a profile gives them, with file paths made absolute. A value that does not fit is
 * reported at the name of the declaration, and null replaces it, as with a wrong default in the document.
 */
export function withProfileInputs(
  inputs: Inputs,
  values: ProfileValues,
  {
    root,
    file,
    policy,
    files,
  }: {
    root: DocumentNode
    file: string
    policy?: DocumentPolicy | undefined
    files?: FilesOfMachine | undefined
  },
  reporter: DiagnosticCollector,
): Inputs {
  const declared = childOf(root, 'inputs')
  const changed: Record<string, InputDeclaration> = {}
  for (const [name, declaration] of Object.entries(inputs)) {
    const given = Object.hasOwn(values.inputs, name) ? values.inputs[name] : undefined
    const place = declared?.kind === 'map' ? declared.entries.get(name)?.key : undefined
    if (given === undefined || !place) {
      changed[name] = declaration
      continue
    }
    const where = (pointer: string) => partName(`profiles.${values.name}.inputs.${name}`, pointer)
    const typed = typedInput(declaration, given)
    if ('problems' in typed) {
      for (const { pointer, message, hint } of typed.problems)
        reporter.wrongValue(`${where(pointer)} ${message}`, place, hint)
      changed[name] = { ...declaration, default: null }
      continue
    }
    const value = mapFiles(declaration, typed.value, (path, pointer) => {
      const target = resolve(dirname(values.file ?? ''), path)
      const problem = policy?.file(target, dirname(resolve(file)))
      if (problem) reportPolicy({ ...problem, message: `${where(pointer)}: ${problem.message}` }, place, reporter)
      else if (files && !files.isFile(target)) {
        const missing = missingFile(path, `it is looked up in the folder of ${values.file}`, files.whyUnseen(target))
        reporter.warning({ ...missing, message: `${where(pointer)}: ${missing.message}` }, place)
      }
      return target
    })
    changed[name] = { ...declaration, default: value }
  }
  return changed
}

/** Whether a trigger starts runs under the given profile. If no profile is given, every trigger does. */
export function isOfProfile({ profiles }: TriggerDraft['trigger'], values: ProfileValues | undefined): boolean {
  return !profiles || !values || profiles.includes(values.name)
}

/** The triggers that start runs under a profile, and the others. */
export function triggersOfProfile(
  drafts: readonly TriggerDraft[],
  values: ProfileValues | undefined,
): Pick<Pipeline, 'triggers' | 'otherTriggers'> {
  const all = drafts.map(({ trigger }) => trigger)
  return {
    triggers: all.filter((trigger) => isOfProfile(trigger, values)),
    otherTriggers: values && all.filter((trigger) => !isOfProfile(trigger, values)),
  }
}

/** Reports profiles that a trigger names but audience.yaml does not have: such a trigger would never start a run. */
export function checkTriggerProfiles(
  drafts: readonly TriggerDraft[],
  { known }: ProfileValues,
  reporter: DiagnosticCollector,
): void {
  if (!known) return
  for (const { node } of drafts) {
    for (const item of itemsOf(childOf(node, 'profiles'))) {
      const name = textOf(item)
      if (name === undefined || known.includes(name)) continue
      const hint = didYouMean(name, [...known]) ?? 'declare it in audience.yaml, under profiles'
      reporter.error({ code: 'unknown-profile', message: `audience.yaml has no profile ${name}`, hint }, item)
    }
  }
}
