const LONGEST = 100
/** A letter is found almost everywhere, but in Chinese and Japanese it is a word. */
const SHORTEST = 2
const ONE_IS_A_WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

export interface Search {
  readonly text: string
  readonly isTooShort: boolean
}

/** What the query of an address asks to look for. */
export function readSearch(query: URLSearchParams): Search {
  const text = (query.get('q') ?? '')
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .trim()
    .slice(0, LONGEST)
  return { text, isTooShort: [...text].length < SHORTEST && !ONE_IS_A_WORD.test(text) }
}

interface SearchFieldProps {
  /** Of the page that shows what was found. */
  path: string
  /** What is searched. */
  label: string
  look: string
  placeholder: string
  text?: string | undefined
}

/** A field that searches a whole area of the site, on each page of it. */
export function SearchField({ path, label, look, placeholder, text = '' }: SearchFieldProps) {
  return (
    <search class={look}>
      <form method="get" action={path}>
        <div class="field">
          <label class="visually-hidden" for="search-all">
            {label}
          </label>
          <input
            id="search-all"
            type="search"
            name="q"
            value={text}
            maxLength={LONGEST}
            placeholder={placeholder}
            dir="auto"
          />
        </div>
        <button type="submit" class="visually-hidden">
          Search
        </button>
      </form>
    </search>
  )
}
