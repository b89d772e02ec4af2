import { expressionCodes } from '../expressions/expression-codes.ts'

/** What can be wrong with a pipeline document: a code and what it means, for the reference page. */
export const diagnosticCodes = {
  ...expressionCodes,
  'alias-bomb': 'The aliases of the document stand for too many values.',
  'await-without-job': 'The step has an await, but its type starts no job.',
  'bare-braces': 'There is {{ }} without the $ that makes an expression of it. A warning where it is plain text.',
  'broken-rule': 'Fields of a step’s input do not go together.',
  'document-too-large': 'The document has more than a million characters.',
  'duplicate-id': 'Two steps or two triggers have the same id.',
  'duplicate-key': 'A key is there twice in the same map.',
  'empty-document': 'There is nothing in the document.',
  'expression-not-here': 'There is an expression in a place where expressions are not evaluated.',
  'key-not-text': 'A key is a number, a boolean, a list or a map.',
  'leading-zero': 'An integer begins with a zero, which some read as octal.',
  'merge-key': 'There is a merge key (<<), which YAML 1.2 does not have.',
  'missing-input': 'A step lacks a field that its type needs, or a trigger an input without a default.',
  'missing-key': 'A key is missing that the format needs.',
  'needs-circle': 'Steps wait for each other.',
  'needs-itself': 'A step needs itself.',
  'not-an-expression': 'A place that takes one whole expression has something else.',
  'several-documents': 'The file holds more than one YAML document.',
  tab: 'A tab is used for indentation.',
  'too-deep': 'The document is nested too deeply.',
  'unknown-alias': 'An alias stands before its anchor, inside of it, or without one.',
  'unknown-input': 'A trigger gives an input that the pipeline does not have.',
  'unknown-key': 'The format or the step type does not know the key.',
  'unknown-step-type': 'There is no step type of this name.',
  'unknown-tag': 'There is a YAML tag (!name).',
  'unquoted-expression': 'YAML reads the braces or a colon of an expression as its own; the value has to be quoted.',
  'wrong-name': 'The name cannot be used, because expressions could not name it or it means something already.',
  'wrong-type': 'A value has another type than its place needs.',
  'wrong-value': 'A value is of the right type, but not one that its place allows.',
  'yaml-syntax': 'The document is not valid YAML.',
} as const

export type DiagnosticCode = keyof typeof diagnosticCodes
