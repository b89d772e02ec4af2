import { describe, expect, test } from 'vitest'
import { evaluateCondition, evaluateTemplate } from '../../src/expressions/evaluate.ts'
import { functions } from '../../src/expressions/functions.ts'
import { evaluateText, failureOf, scope } from './evaluate-text.ts'

describe('expressions that have a value', () => {
  test.each([
    // Numbers: integers have 64 bits and stay exact; doubles do not mix with integers, but can be compared with them.
    ['1 + 2 * 3 - 4', 3n],
    ['7 / 2', 3n],
    ['-7 / 2', -3n],
    ['-7 % 3', -1n],
    ['7.0 / 2.0', 3.5],
    ['double(7) / 2.0', 3.5],
    ['inputs.big + 1', 9007199254740994n],
    ['-9223372036854775808', -9223372036854775808n],
    ['0x1F', 31n],
    ['1 == 1.0 && 2 > 1.5 && 1.5 >= inputs.ratio', true],
    ['9007199254740993 == 9007199254740992.0', false],
    // Text, lists and maps.
    ['"a" + \'b\' + r"\\n"', 'ab\\n'],
    ['[1, 2] + inputs.ids', [1n, 2n, 1n, 2n, 3n]],
    ['{"a": {"b": [1]}}.a.b[0]', 1n],
    ['{"a": 1}["a"]', 1n],
    ['inputs.nested.list[1].a', 2n],
    ['2 in inputs.ids && !(2 in [1]) && "a" in {"a": 1}', true],
    ['inputs.nested == {"list": [{"a": 1}, {"a": 2.0}]}', true],
    ['[1, [2]] == [1, [2]] && [1] != [2] && "a" != 1', true],
    ['"a" < "b" && false < true', true],
    ['inputs.n > 3 ? "many" : "few"', 'many'],
    ['size("ü😀") + size([1]) + {"a": 1}.size()', 4n],
    // Logic forgives a failure that cannot change the result, as CEL does.
    ['true || inputs.nope', true],
    ['inputs.nope || true', true],
    ['inputs.nope && false', false],
    ['[0, 1].exists(n, 1 / n == 1)', true],
    ['[0, 1].all(n, 1 / n == 2)', false],
    // Macros.
    ['inputs.ids.map(n, n * n).filter(n, n > 1)', [4n, 9n]],
    ['inputs.ids.exists_one(n, n == 2)', true],
    ['inputs.ids.map(n, inputs.ids.map(m, n * m))[2][1]', 6n],
    ['{"b": 1, "a": 2}.map(key, key)', ['b', 'a']],
    ['[1].map(inputs, inputs)', [1n]],
    // What may be missing.
    ['has(inputs.n) && !has(inputs.nope) && !has(inputs.nope.deeper) && has(inputs.nothing)', true],
    ['has(last.outputs) || has(steps.other.outputs)', false],
    ['default(last.outputs.matchCount, 7)', 7n],
    ['default(inputs.nothing, "x")', 'x'],
    ['default(inputs.n, 7)', 5n],
    ['default(inputs.ids[9], 0)', 0n],
    ['default(last.steps.match.outputs[0].id, "none")', 'none'],
    // Functions.
    ['string(9007199254740993) + string(1.5) + string(true)', '9007199254740993' + '1.5true'],
    ['int("-12") + int(3.9) + int(timestamp("1970-01-01T00:01:00Z"))', 51n],
    ['double("1e3") + double(1)', 1001],
    ['bool("true") && !bool("false")', true],
    ['"a,b,c".split(",")', ['a', 'b', 'c']],
    // As in CEL's extension for strings: an empty part matches around each character, and positions count characters.
    ['"abc".replace("", "-")', '-a-b-c-'],
    ['"abc".replace("", "-", 2)', '-a-bc'],
    ['"a-b-c".replace("-", "+", 1) + "a-b".replace("-", "+", 0) + "a-b".replace("-", "+", -1)', 'a+b-ca-ba+b'],
    ['"".replace("", "-") + "😀x".replace("", "-")', '--😀-x-'],
    ['"a😀b".split("")', ['a', '😀', 'b']],
    [
      '["a,b,c".split(",", 2), "a,b".split(",", 0), "a,b".split(",", 1), "a,b".split(",", -1), "".split("")]',
      [['a', 'b,c'], [], ['a,b'], ['a', 'b'], []],
    ],
    [
      '"a😀b".size() == 3 && "a😀b".indexOf("b") == 2 && "a😀b".charAt(1) == "😀" && "a😀b".substring(1, 2) == "😀"',
      true,
    ],
    // U+FF5E is before U+1F600, though not in UTF-16.
    ['"～" < "😀" && "😀" > "～" && !("😀" <= "～") && "a～" <= "a😀" && "a" < "ab" && "a" >= "a"', true],
    ['"%s".format([{"😀": 1, "～": 2}])', '{～: 2, 😀: 1}'],
    ['inputs.names.join("-") + ["x", "y"].join()', 'b-axy'],
    ['" EMAIL ".trim().lowerAscii() + "ä".upperAscii()', 'emailä'],
    ['"2026-01-31".replace("-", "").substring(0, 6)', '202601'],
    ['"abc".substring(1) + string("abc".indexOf("c")) + string("abc".indexOf("x"))', 'bc2-1'],
    ['inputs.text.startsWith("Auto") && inputs.text.endsWith("s") && inputs.text.contains("in")', true],
    ['fileName(inputs.file) + " " + fileStem(inputs.file)', 'auto.csv auto'],
    [
      '[fileStem(".hidden"), fileStem("a.tar.gz"), fileStem("C:\\\\x\\\\y.csv"), fileName("dir/")]',
      ['.hidden', 'a.tar', 'y', ''],
    ],
    ['sha256("abc")', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    // Dates: the run started on March 1st in UTC, which was the evening before in New York.
    ['today() + " " + today("America/New_York")', '2026-03-01 2026-02-28'],
    ['formatDate(now(), "yyyy-MM-dd\'T\'HH:mm:ss", "Asia/Kolkata")', '2026-03-01T09:00:00'],
    ['formatDate(now(), "yyyyMMdd")', '20260301'],
    ['formatDate(timestamp("2026-07-01T00:00:00+02:00"), "HH:mm \'o\'\'clock\'", "Europe/Berlin")', "00:00 o'clock"],
    ['addDays(today(), -1) + " " + addDays("2028-02-28", 2)', '2026-02-28 2028-03-01'],
    ['now() - duration("1d")', '2026-02-28T03:30:00Z'],
    ['now() - timestamp("2026-03-01T00:00:00Z") == duration("3h30m")', true],
    ['run.startedAt == now() && now() < now() + duration("1ms")', true],
    // Status.
    ['success()', false],
    ['failure()', true],
    ['steps.match.status == "succeeded"', true],
  ])('%s', (source, value) => {
    expect(evaluateText(source, scope)).toEqual(value)
  })
})

describe('expressions that have no value', () => {
  test.each([
    ['inputs.nope', 'the field nope is not there', 10, 11],
    ['1 + inputs.nope.x', 'the field nope is not there', 14, 11],
    ['inputs.nothing.x', 'null has no field x', 10, 16],
    ['inputs.n.x', 'an integer has no field x', 10, 10],
    ['inputs.ids[3]', 'the list has no item 3; it has 3', 10, 13],
    ['inputs.ids["a"]', 'cannot index a list by a string', 10, 15],
    ['nope', 'nope is not there', 10, 4],
    ['1 / (inputs.n - 5)', 'division by zero', 10, 17],
    ['9223372036854775807 + inputs.n', 'the integer does not fit in 64 bits', 10, 30],
    ['inputs.n + 1.0', '+ does not work on an integer and a number', 10, 14],
    ['inputs.n && true', 'a boolean is needed here, but this is an integer', 10, 8],
    ['inputs.n ? 1 : 2', 'a boolean is needed here, but this is an integer', 10, 8],
    ['!inputs.n', 'a boolean is needed here, but this is an integer', 11, 8],
    ['-inputs.text', 'a string cannot be negated', 11, 11],
    ['inputs.n.map(x, x)', 'a list is needed here, but this is an integer', 10, 8],
    ['[1, "a"].join()', 'join() takes a list of strings; map it with string(…) first', 10, 15],
    ['int(inputs.text)', 'the value is not an integer', 10, 16],
    ['timestamp(inputs.text)', 'a timestamp looks like 2026-01-31T08:00:00Z', 10, 22],
    ['today(inputs.text)', 'there is no such time zone', 10, 18],
    ['formatDate(now(), inputs.text)', expect.stringContaining('is not known in a date pattern'), 10, 30],
    ['inputs.text.matches("(" + inputs.text)', expect.stringContaining('not a valid regular expression'), 10, 38],
    ['inputs.text.substring(20)', 'the position is outside the text', 10, 25],
    ['now() - now()', 'a duration has no value outside expressions', 10, 13],
    ['1.0 / 0.0', 'the number is infinite or not a number', 10, 9],
    ['{"a": 1, "a": 2}', 'the map has this key twice', 19, 3],
    ['{1: 2}', 'the key of a map must be a string', 11, 1],
    ['size(1, 2)', 'size() takes different arguments', 10, 10],
    ['nope()', 'there is no function nope', 10, 6],
    ['(1', expect.stringContaining('not a valid expression'), 12, 1],
  ])('%s', (source, message, column, length) => {
    const error = failureOf(source, scope)
    expect(error).toMatchObject({
      code: 'expression-failed',
      kind: 'failed',
      at: { file: 'p.yaml', line: 3, column, length },
    })
    const reason = error.message.slice(`\${{ ${source} }}: `.length)
    expect(reason).toEqual(message)
  })

  test('points at the beginning where the document writes the expression over several lines', () => {
    const at = { file: 'p.yaml', line: 3, column: 10, length: 5 }
    const expression = { source: '1 +\n nope', at, folded: true } as const
    expect(() => evaluateTemplate({ kind: 'expression', expression }, {})).toThrow(expect.objectContaining({ at }))
  })

  test('never says a value, which may be a secret', () => {
    const secret = 'hunter2-hunter2'
    const inputs = { secret, list: [secret], map: { [secret]: secret } }
    const sources = [
      ...[
        'int(inputs.secret)',
        'inputs.secret.x',
        'inputs.map[inputs.secret].x',
        'inputs.list[0] + 1',
        '-inputs.secret',
      ],
      ...['timestamp(inputs.secret)', 'today(inputs.secret)', 'duration(inputs.secret)', 'inputs.list.join(1)'],
      ...[
        '"%d".format([inputs.secret])',
        '"%s%d".format([inputs.secret])',
        'inputs.secret.charAt(99)',
        'sum(inputs.list)',
      ],
      ...[
        '("%" + inputs.secret).format([1])',
        'now().getHours(inputs.secret)',
        'abs(inputs.secret)',
        'min(inputs.list)',
      ],
      ...['{inputs.secret: 1, inputs.secret: 2}', 'bool(inputs.secret)', 'addDays(inputs.secret, 1)'],
    ]
    for (const source of sources) {
      const error = failureOf(source, { inputs, run: scope.run! })
      expect(JSON.stringify([error.message, error.hint, String(error.cause)])).not.toContain(secret)
    }
  })
})

describe('templates', () => {
  const at = { file: 'p.yaml', line: 1, column: 1 }
  const n = { source: 'inputs.n', at }

  test('keeps the type of one whole expression, and makes text of a mixture', () => {
    expect(evaluateTemplate({ kind: 'expression', expression: n }, scope)).toBe(5n)
    expect(evaluateTemplate({ kind: 'text', parts: ['n=', n, '!', { source: 'now()', at }] }, scope)).toBe(
      'n=5!2026-03-01T03:30:00Z',
    )
  })

  test('evaluates inside of lists and maps', () => {
    const list = {
      kind: 'list',
      items: [
        { kind: 'value', value: null },
        { kind: 'expression', expression: n },
      ],
    } as const
    expect(evaluateTemplate({ kind: 'map', entries: { list } }, scope)).toEqual({ list: [null, 5n] })
  })

  test.each(['inputs.ids', 'inputs.nested', 'inputs.nothing'])('refuses %s inside of a text', (source) => {
    expect(() => evaluateTemplate({ kind: 'text', parts: ['x', { source, at }] }, scope)).toThrow(
      /cannot be part of a text/,
    )
  })

  test('takes the item of a forEach under the name that it was given', () => {
    const value = (source: string, name = 'partner') => {
      const template = { kind: 'expression', expression: { source, at } } as const
      return evaluateTemplate(template, { item: { name, value: { id: 7n }, index: 3 } })
    }
    expect(value('partner.id')).toBe(7n)
    expect(value('index + partner.id')).toBe(10n)
    expect(value('[8].map(index, index)')).toEqual([8n])
    expect(value('index.id', 'index')).toBe(7n)
  })

  test('refuses a condition that gives no boolean', () => {
    expect(evaluateCondition({ source: 'inputs.n > 1', at }, scope)).toBe(true)
    expect(() => evaluateCondition(n, scope)).toThrow(/a condition gives a boolean, but this is an integer/)
  })

  test('lets the engine say what failed', () => {
    expect(evaluateText('failure()', { failed: true })).toBe(true)
    expect(evaluateText('success()', { failed: true, steps: {} })).toBe(false)
    expect(evaluateText('success()', {})).toBe(true)
  })
})

describe('every function', () => {
  const evaluated = functions.filter(({ example }) => !/^(a|the|false on|0 on) /.test(example.result))

  test.each(evaluated.map(({ example }) => [example.expression, example.result]))('%s', (expression, result) => {
    if (/now\(\)|today\(/.test(expression)) {
      const january = { ...scope, run: { id: 'r', pipeline: 'p', startedAt: '2026-01-31T08:00:00Z' } }
      expect(evaluateText(expression, january)).toEqual(JSON.parse(result))
    } else if (expression === 'success()' || expression === 'failure()') {
      expect(evaluateText(expression)).toEqual(JSON.parse(result))
    } else expect(evaluateText(`${expression} == ${result}`, scope)).toBe(true)
  })

  test('is told once, with a sentence', () => {
    const names = functions.map(({ name, receiver }) => `${receiver ? '.' : ''}${name}`)
    expect(new Set(names).size).toBe(names.length)
    for (const { description } of functions) expect(description).toMatch(/^[A-Z].*\.$/)
  })
})
