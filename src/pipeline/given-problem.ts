import type { FieldDeclaration, Template } from '../core/pipeline.ts'
import { type Declared, type InputProblem, typedInput, unknownField } from './input-value.ts'

/** What is wrong with the parts of an input that hold no expressions; the types of the others are checked elsewhere. */
export function givenProblem(declared: Declared, template: Template): InputProblem | undefined {
  if (template.kind === 'value') return problemOf(typedInput(declared, template.value))
  const { items } = declared
  if (typeof items !== 'object' || template.kind !== 'list') return undefined
  for (const [index, item] of template.items.entries()) {
    const problem = item.kind === 'map' ? entryProblem(items, item.entries) : literalProblem(declared, item)
    if (problem) return { ...problem, pointer: `/${index}${problem.pointer}` }
  }
  return undefined
}

/** An object in a list, with expressions in some of its fields. */
function entryProblem(
  fields: Readonly<Record<string, FieldDeclaration>>,
  entries: Readonly<Record<string, Template>>,
): InputProblem | undefined {
  const unknown = Object.keys(entries).find((name) => !Object.hasOwn(fields, name))
  if (unknown !== undefined) return unknownField(unknown, fields)
  for (const [name, field] of Object.entries(fields)) {
    const given = entries[name]
    const problem = given ? literalProblem(field, given) : missingProblem(field)
    if (problem) return { ...problem, pointer: `/${name}${problem.pointer}` }
  }
  return undefined
}

function missingProblem({ default: byDefault, description }: FieldDeclaration): InputProblem | undefined {
  return byDefault === undefined ? { pointer: '', message: 'is missing', hint: description } : undefined
}

/** A list or a map never fits a field, and a list of objects has no other items. */
function literalProblem(declared: Declared, template: Template): InputProblem | undefined {
  if (template.kind === 'expression' || template.kind === 'text') return undefined
  const value = template.kind === 'value' ? template.value : []
  if (declared.type !== 'list') return problemOf(typedInput(declared, value))
  const problem = problemOf(typedInput(declared, [value]))
  return problem && { ...problem, pointer: problem.pointer.slice('/0'.length) }
}

function problemOf(typed: ReturnType<typeof typedInput>): InputProblem | undefined {
  return 'problem' in typed ? typed.problem : undefined
}
