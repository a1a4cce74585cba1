/** Drawn for this project on a grid of 24, as lines without a fill. */
const DRAWINGS = {
  house: 'M4 11l8-7 8 7v9H4zM10 20v-6h4v6',
  plug: 'M9 3v5M15 3v5M6 8h12v4a6 6 0 0 1-12 0zM12 18v3',
  book: 'M12 6C10 4.5 7 4 4 4v14c3 0 6 .5 8 2 2-1.5 5-2 8-2V4c-3 0-6 .5-8 2zM12 6v14',
  talk: 'M3 4h12v8H9l-3 3v-3H3zM18 9h3v8h-2v3l-3-3h-5',
  tag: 'M4 4h8l8.5 8.5-8 8L4 12zM8 8h.01',
  sheet: 'M6 3h8l4 4v14H6zM9 11h6M9 15h6',
  school: 'M3 9l9-5 9 5zM5 9v8M10 9v8M14 9v8M19 9v8M3 20h18',
  sliders: 'M4 6h9M17 6h3M15 4v4M4 12h2M10 12h10M8 10v4M4 18h9M17 18h3M15 16v4',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14',
} as const

const ARROWS = {
  back: 'M20 12H4M10 6l-6 6 6 6',
  next: 'M4 12h16M14 6l6 6-6 6',
  up: 'M12 20V4M6 10l6-6 6 6',
  down: 'M12 4v16M6 14l6 6 6-6',
} as const

export type IconName = keyof typeof DRAWINGS

/** Beside a word that says the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={20} height={20} aria-hidden="true">
      <path d={DRAWINGS[name]} />
    </svg>
  )
}

/** Within a line of text. Drawn, because not every font has arrows. */
export function Arrow({ to }: { to: keyof typeof ARROWS }) {
  return (
    <svg class="icon arrow" viewBox="0 0 24 24" aria-hidden="true">
      <path d={ARROWS[to]} />
    </svg>
  )
}
