export const SEARCH_PATH = '/admin/search'

/** The field that searches everything, above the menu of every page. */
export function AdminSearch({ text = '' }: { text?: string | undefined }) {
  return (
    <form method="get" action={SEARCH_PATH} class="admin-search" aria-label="Everything">
      <div class="field">
        <label class="visually-hidden" for="search-all">
          Search people, orders, courses and content
        </label>
        <input
          id="search-all"
          type="search"
          name="q"
          value={text}
          maxLength={100}
          placeholder="Search everything"
          dir="auto"
        />
      </div>
      <button type="submit" class="visually-hidden">
        Search
      </button>
    </form>
  )
}
