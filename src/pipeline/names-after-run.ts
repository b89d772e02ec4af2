import { isBlock, type Pipeline } from '../core/pipeline.ts'
import type { StepType } from '../core/step-type.ts'
import { checkExpression, type Names } from '../expressions/check.ts'
import { expressionsOf, treeOf } from '../expressions/tree-of.ts'
import { DYN, recordType, type Type, typeOfSchema } from '../expressions/types.ts'
import { documentNames, inputsType, type NamedStep } from './expression-names.ts'
import { typeOfTemplate } from './read-variables.ts'

/** What is known about an ended run of a pipeline: the types of its inputs, its outputs and its steps. */
export function namesAfterRun(
  pipeline: Pipeline,
  stepTypes: ReadonlyMap<string, StepType>,
): { readonly inputs: Type; readonly outputs: Type; readonly steps: Type } {
  const inputs = inputsType(undefined, pipeline.inputs)
  const variables = typeOfSchema({
    type: 'object',
    properties: Object.fromEntries(Object.entries(pipeline.variables).map(([name, { schema }]) => [name, schema])),
  })
  const all = (['steps', 'onFailure', 'finally'] as const).flatMap((section) =>
    pipeline[section].flatMap((step): NamedStep[] => {
      if (!isBlock(step)) return [{ section, step, type: stepTypes.get(step.uses) }]
      const block = { section, step }
      return [block, ...step.steps.map((one) => ({ section, step: one, type: stepTypes.get(one.uses), block }))]
    }),
  )
  const document = documentNames({ inputs, env: pipeline.env, variables }, all, {
    needs: new Map(),
    allNeeds: new Map(),
  })
  const names = document.in({ recorded: true })
  const outputs = Object.entries(pipeline.outputs).map(([name, template]) => [
    name,
    typeOfTemplate(template, (computed) => typeOfComputed(computed, names)),
  ])
  return {
    inputs,
    outputs: recordType('output', Object.fromEntries(outputs)),
    steps: names.steps ?? DYN,
  }
}

function typeOfComputed(template: Parameters<typeof expressionsOf>[0], names: Names): Type {
  if (template.kind === 'text') return { kind: 'string' }
  const [expression] = expressionsOf(template)
  return expression ? checkExpression(treeOf(expression), names).type : DYN
}
