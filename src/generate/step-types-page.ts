import type { StepType } from '../core/step-type.ts'
import { exampleStep } from './example-text.ts'
import { inputTable, outputTable } from './field-table.ts'
import { anchor, code, fence, page, sentences, table } from './markdown.ts'
import { resourceOf } from './resources.ts'

/** The page that lists every step type. `isOperation` distinguishes the service's operations from our own types. */
export function stepTypesPage(types: readonly StepType[], isOperation: (name: string) => boolean): string {
  return page(
    '# Step types',
    [
      'These are the names that a step’s `uses` accepts. `with` accepts only the fields of the first table. The second table has',
      'what expressions read as `steps.ID.outputs`.',
    ].join('\n'),
    table(
      ['step type', 'what it does'],
      types.map(({ name, summary }) => [`[${name}](#${anchor(name)})`, summary]),
    ),
    ...types.map((type) => section(type, isOperation(type.name))),
  )
}

function section(type: StepType, isOperation: boolean): string {
  const { name, summary, description, input, output, startsJob } = type
  const request = `The request behind it: [${name}](operations/${resourceOf(name)}.md#${anchor(name)}).`
  const waiting = `It waits for the job that it starts; see ${code('await')}.`
  const blocks = [
    `## ${name}`,
    sentences(summary, description, startsJob ? waiting : undefined, isOperation ? request : undefined),
    fence('yaml', exampleStep(type)),
    inputTable(input),
    Object.keys(output.properties).length > 0 ? `Outputs:\n\n${outputTable(output)}` : 'It has no outputs.',
  ]
  return blocks.join('\n\n')
}
