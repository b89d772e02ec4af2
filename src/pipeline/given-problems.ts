import type { FieldDeclaration, Template } from '../core/pipeline.ts'
import { type Declared, type InputProblem, namingProblems, typedInput, within } from './input-value.ts'

/** What is wrong with the parts of an input that hold no expressions; the types of the others are checked elsewhere. */
export function givenProblems(declared: Declared, template: Template): readonly InputProblem[] {
  if (template.kind === 'value') return problemsOf(typedInput(declared, template.value))
  const { items } = declared
  if (typeof items !== 'object' || template.kind !== 'list') return []
  return template.items.flatMap((item, index) =>
    within(String(index), item.kind === 'map' ? entryProblems(items, item.entries) : literalProblems(declared, item)),
  )
}

/** An object in a list, with expressions in some of its fields. */
function entryProblems(
  fields: Readonly<Record<string, FieldDeclaration>>,
  entries: Readonly<Record<string, Template>>,
): InputProblem[] {
  const literal = Object.entries(fields).flatMap(([name, field]) => {
    const given = entries[name]
    return given ? within(name, literalProblems(field, given)) : []
  })
  return [...namingProblems(entries, fields), ...literal]
}

/** A list or a map never fits a field, and a list of objects has no other items. */
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
