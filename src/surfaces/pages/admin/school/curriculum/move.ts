/** The order of a course: its sections, and the lectures in each. */
export interface OutlineSection {
  readonly id: string
  readonly lecture_ids: readonly string[]
}

export type Direction = 'up' | 'down'

/**
 * The order after a section or lecture moves by one step, or undefined if it cannot move. A lecture at
 * the edge of its section moves into the next one.
 */
export function moved(
  sections: readonly OutlineSection[],
  id: string,
  direction: Direction,
): readonly OutlineSection[] | undefined {
  const step = direction === 'up' ? -1 : 1
  const place = sections.findIndex((section) => section.id === id)
  if (place !== -1) return swapped(sections, place, place + step)
  const home = sections.findIndex(({ lecture_ids }) => lecture_ids.includes(id))
  const section = sections[home]
  if (section === undefined) return undefined
  const at = section.lecture_ids.indexOf(id)
  const within = swapped(section.lecture_ids, at, at + step)
  if (within !== undefined) return replaced(sections, home, within)
  const next = sections[home + step]
  if (next === undefined) return undefined
  const left = section.lecture_ids.filter((lecture) => lecture !== id)
  const joined = direction === 'up' ? [...next.lecture_ids, id] : [id, ...next.lecture_ids]
  return replaced(replaced(sections, home, left), home + step, joined)
}

function swapped<T>(list: readonly T[], one: number, other: number): readonly T[] | undefined {
  const [a, b] = [list[one], list[other]]
  if (a === undefined || b === undefined) return undefined
  return list.map((item, place) => (place === one ? b : place === other ? a : item))
}

function replaced(
  sections: readonly OutlineSection[],
  place: number,
  lecture_ids: readonly string[],
): readonly OutlineSection[] {
  return sections.map((section, at) => (at === place ? { ...section, lecture_ids } : section))
}
