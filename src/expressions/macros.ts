import type { FunctionDefinition, Parameter } from './function-definition.ts'

const anything: Parameter = { name: 'value', kinds: ['dyn'] }
const onCollections = ['list', 'map'] as const
const variable: Parameter = { name: 'variable', kinds: ['dyn'] }
const condition: Parameter = { name: 'condition', kinds: ['bool'] }

/** The macros on collections: `variable` stands for each item (for a map, each key) in turn. */
export const macros: readonly FunctionDefinition[] = [
  {
    name: 'has',
    parameters: [{ name: 'field', kinds: ['dyn'] }],
    returns: 'bool',
    description: 'Whether a field is there. Also false if something on the path to it is missing.',
    example: { expression: 'has(last.outputs)', result: 'false on the first run' },
  },
  {
    name: 'default',
    parameters: [anything, { name: 'fallback', kinds: ['dyn'] }],
    returns: 'dyn',
    description: 'The value, or the fallback if the value is missing or null.',
    example: { expression: 'default(last.outputs.matchCount, 0)', result: '0 on the first run' },
  },
  quantifier('all', 'Whether the condition holds for every item.', '[1, 2].all(n, n > 0)'),
  quantifier('exists', 'Whether the condition holds for at least one item.', '[1, 2].exists(n, n > 1)'),
  quantifier('exists_one', 'Whether the condition holds for exactly one item.', '[1, 2].exists_one(n, n > 1)'),
  quantifier('existsOne', 'The same as exists_one.', '[1, 2].existsOne(n, n > 1)'),
  {
    name: 'filter',
    receiver: onCollections,
    parameters: [variable, condition],
    returns: 'list',
    description: 'The items for which the condition holds.',
    example: { expression: '[1, 2, 3].filter(n, n > 1)', result: '[2, 3]' },
  },
  {
    name: 'map',
    receiver: onCollections,
    parameters: [variable, { name: 'result', kinds: ['dyn'] }],
    returns: 'list',
    description: 'The results of the expression for every item.',
    example: { expression: '[1, 2].map(n, n * 10)', result: '[10, 20]' },
  },
]

/** A macro that tests how many items satisfy a condition; the result of its example is `true`. */
function quantifier(name: string, description: string, expression: string): FunctionDefinition {
  const parameters = [variable, condition]
  const example = { expression, result: 'true' }
  return { name, receiver: onCollections, parameters, returns: 'bool', description, example }
}

/** Whether a method is a macro, such as `list.map(n, n + 1)`: it binds its first argument as a variable. */
export function bindsVariable(method: string): boolean {
  return macros.some(({ name, receiver }) => receiver && name === method)
}
