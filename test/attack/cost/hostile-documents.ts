/** Documents that take long to refuse or to prepare, each as large as the limits let it be. */

const repeat = (n: number, part: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => part(i)).join(' ')

/** Much of the schema in few words, so that sixty aliases of it stay within the limit of fields. */
const SCHEMA = 'fragment F on __Schema { types { fields { type { fields { name } } } } }'

/** More than one, or the limit of selections of one name would end the attack. */
const FIELDS = [
  'id',
  'name',
  'email',
  'schools { id }',
  'enrolledCourses { totalCount }',
  'digitalProducts { totalCount }',
  'consultingServices { totalCount }',
  'eventRegistrations { totalCount }',
  'notifications { totalCount }',
  'payments { totalCount }',
]
const fieldOf = (i: number): string => FIELDS[i % FIELDS.length] ?? 'id'

export const HOSTILE_DOCUMENTS: Readonly<Record<string, string>> = {
  'the schema under sixty aliases': `{ ${repeat(60, (i) => `a${i}: __schema { ...F }`)} } ${SCHEMA}`,
  'the schema, and a field that does not exist': `{ ${repeat(60, (i) => `a${i}: __schema { ...F }`)} no } ${SCHEMA}`,
  'empty fragments of the schema': `{ __schema { types { ${repeat(400, () => '... { ')} name ${repeat(400, () => '}')} } } }`,
  'fragments of the schema side by side': `{ __schema { types { fields { ${repeat(20, () => '... on __Field { __typename }')} } } } }`,
  'a type under sixty aliases': `{ ${repeat(60, (i) => `a${i}: __type(name: "Viewer") { fields { name description type { fields { name description } } } }`)} }`,
  'the schema in every operation': repeat(
    100,
    (i) => `query Q${i} { __schema { types { fields { name } } } }`,
  ),
  'unused variables': `query (${repeat(480, (i) => `$v${i}: Int`)}) { __typename }`,
  'unknown variables': `{ viewer { ${repeat(60, (i) => `a${i}: payments(first: $v${i}) { totalCount }`)} } }`,
  'variables in every operation': repeat(
    95,
    (i) => `query Q${i}($a: Int) { viewer { payments(first: $a) { totalCount } } }`,
  ),
  'operations without end': repeat(390, (i) => `query Q${i} { __typename }`),
  'operations of one name': repeat(390, () => 'query Q { __typename }'),
  'fragments in a ring': `{ viewer { ...F0 } } ${repeat(210, (i) => `fragment F${i} on Viewer { ...F${(i + 1) % 210} }`)}`,
  'fragments that all spread each other': `{ viewer { ...F0 } } ${repeat(28, (i) => `fragment F${i} on Viewer { ${repeat(28, (j) => `...F${j}`)} }`)}`,
  'fragments side by side': `{ viewer { ${repeat(60, (i) => `...F${i}`)} } } ${repeat(60, (i) => `fragment F${i} on Viewer { ${fieldOf(i)} }`)}`,
  'fragments that spread the next two': `{ viewer { ...F0 } } ${repeat(9, (i) => `fragment F${i} on Viewer { ...F${i + 1} ...F${i + 2} ${fieldOf(i)} }`)} fragment F9 on Viewer { id } fragment F10 on Viewer { name }`,
  'unspread fragments': `{ __typename } ${repeat(270, (i) => `fragment F${i} on Viewer { id }`)}`,
  'unknown types': `{ __typename } ${repeat(270, (i) => `fragment F${i} on Vewer { id }`)}`,
  'unknown fields': `{ viewer { ${repeat(900, (i) => `paymnts${i}`)} } }`,
  'unknown arguments': `{ viewer { payments(${repeat(600, (i) => `frst${i}: 1`)}) { totalCount } } }`,
  'an argument again and again': `{ viewer { payments(${repeat(600, () => 'first: 1')}) { totalCount } } }`,
  'directives without end': `{ viewer { id ${repeat(320, () => '@skip(if: true)')} } }`,
  'directives on every field': `{ viewer { ${repeat(20, () => `id ${repeat(15, () => '@include(if: true)')}`)} } }`,
  'unknown directives': `{ viewer { id ${repeat(900, (i) => `@skp${i}`)} } }`,
  'a long list': `{ viewer { consultingMeetings(filter: { state: [${repeat(1900, () => 'canceled')}] }) { totalCount } } }`,
  'a long list of wrong values': `{ viewer { consultingMeetings(filter: { state: [${repeat(1900, (i) => `k${i}`)}] }) { totalCount } } }`,
  'an object of wrong fields': `{ viewer { consultingMeetings(filter: { ${repeat(600, (i) => `k${i}: 1`)} }) { totalCount } } }`,
  'lists in lists': `{ viewer { payments(first: ${'['.repeat(900)}${']'.repeat(900)}) { totalCount } } }`,
  'default values': `query (${repeat(190, (i) => `$v${i}: [Int] = [1]`)}) { __typename }`,
  'aliases of pages': `{ viewer { ${repeat(59, (i) => `a${i}: payments(first: 1) { nodes { tradeNo } }`)} } }`,
  'fields of one name twenty times': `{ ${repeat(20, () => `viewer { payments { nodes { tradeNo amount lineitems { title } } } }`)} }`,
  'inline fragments in each other': `{ viewer { ${repeat(450, () => '... {')} id ${repeat(450, () => '}')} } }`,
  'inline fragments side by side': `{ viewer { ${repeat(20, () => '... on Viewer { id name payments { totalCount } }')} } }`,
  'a long comment': `{ __typename } # ${'x'.repeat(49_000)}`,
  'a long string': `{ viewer { payments(after: "${'x'.repeat(49_000)}") { totalCount } } }`,
  'a block string of lines': `{ viewer { payments(after: """${'\n k'.repeat(16_000)}""") { totalCount } } }`,
  'escapes in a string': `{ viewer { payments(after: "${'\\u0041'.repeat(8_000)}") { totalCount } } }`,
  'tokens without end': `{ viewer { ${repeat(1990, () => 'id')}`,
  'a type definition': repeat(280, (i) => `type T${i} { a: Int }`),
}
