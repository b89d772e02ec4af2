import { didYouMean } from '../core/did-you-mean.ts'
import type { FieldDeclaration, InputDeclaration } from '../core/pipeline.ts'
import type { Template } from '../core/template.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, nodeAt, type Span } from '../document/document-node.ts'
import type { Names } from '../expressions/check.ts'
import { inputSchema } from '../runs/input-schema.ts'
import type { ExpressionChecker } from './expression-checker.ts'
import { atPart, type Declared, type InputProblem, namingProblems, partName, typedInput } from './input-value.ts'

/** Inputs that a document gives to a pipeline: a trigger gives them to its own pipeline, a step to another one. */
export interface GivenInputs {
  /** The source of the inputs, for messages: `the trigger nightly`. */
  readonly giver: string
  readonly values: Readonly<Record<string, Template>>
  /** The map of the inputs, if there is one. */
  readonly node: DocumentNode | undefined
  /** The position to report when an input is missing. */
  readonly place: Span
  /** The map of the declarations, if it is in the same document: a declaration with an error may lack its default. */
  readonly declared?: DocumentNode | undefined
  /** Whether these are all the inputs. False if a profile that is not known here may give more. */
  readonly isComplete: boolean
}

/** Checks that a run gets the inputs that it needs, with the right types. */
export function checkInputs(
  given: GivenInputs,
  inputs: Readonly<Record<string, InputDeclaration>>,
  names: Names,
  { checker, reporter }: { checker: ExpressionChecker; reporter: DiagnosticCollector },
): void {
  for (const [name, template] of Object.entries(given.values)) {
    const declaration = Object.hasOwn(inputs, name) ? inputs[name] : undefined
    const entry = given.node?.kind === 'map' ? given.node.entries.get(name) : undefined
    if (!declaration) {
      checker.template(template, names)
      const hint = didYouMean(name, Object.keys(inputs))
      reporter.error({ code: 'unknown-input', message: `there is no input ${name}`, hint }, entry?.key ?? given.place)
      continue
    }
    checker.template(template, names, inputSchema(declaration))
    for (const { pointer, message, hint } of givenProblems(declaration, template)) {
      const place = entry ? nodeAt(entry.value, pointer).node : given.place
      reporter.wrongValue(`${partName(name, pointer)} ${message}`, place, hint)
    }
  }
  if (!given.isComplete) return
  for (const [name, declaration] of Object.entries(inputs)) {
    if (declaration.default !== undefined || Object.hasOwn(given.values, name)) continue
    const own = childOf(given.declared, name)
    if (own && reporter.hasErrorIn(own)) continue
    const message = `${given.giver} does not give the input ${name}, which has no default`
    reporter.error({ code: 'missing-input', message }, given.place)
  }
}

/** The errors in the parts of an input that hold no expressions. The types of the other parts are checked elsewhere. */
function givenProblems(declared: Declared, template: Template): readonly InputProblem[] {
  if (template.kind === 'value') return problemsOf(typedInput(declared, template.value))
  const { items } = declared
  if (typeof items !== 'object' || template.kind !== 'list') return []
  return template.items.flatMap((item, index) =>
    atPart(String(index), item.kind === 'map' ? entryProblems(items, item.entries) : literalProblems(declared, item)),
  )
}

/** An object in a list, with expressions in some of its fields. */
function entryProblems(
  fields: Readonly<Record<string, FieldDeclaration>>,
  entries: Readonly<Record<string, Template>>,
): InputProblem[] {
  const literal = Object.entries(fields).flatMap(([name, field]) => {
    const given = entries[name]
    return given ? atPart(name, literalProblems(field, given)) : []
  })
  return [...namingProblems(entries, fields), ...literal]
}

/** A list or a map never fits a field, and a list of objects takes no items of another kind. */
function literalProblems(declared: Declared, template: Template): readonly InputProblem[] {
  if (template.kind === 'expression' || template.kind === 'text') return []
  const value = template.kind === 'value' ? template.value : []
  if (declared.type !== 'list') return problemsOf(typedInput(declared, value))
  const problems = problemsOf(typedInput(declared, [value]))
  return problems.map((problem) => ({ ...problem, pointer: problem.pointer.slice('/0'.length) }))
}

function problemsOf(typed: ReturnType<typeof typedInput>): readonly InputProblem[] {
  return 'problems' in typed ? typed.problems : []
}
