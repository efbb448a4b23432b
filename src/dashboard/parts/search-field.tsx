interface SearchFieldProps {
  /** Selects the element whose items (class `item`) are searched. */
  readonly of: string;
  readonly placeholder: string;
}

/** A field that hides the items that do not contain every typed word. The script shows it. */
export function SearchField({ of, placeholder }: SearchFieldProps) {
  return (
    <div class="field" data-search={of} hidden>
      <label for="search">Search</label>
      <input id="search" type="search" placeholder={placeholder} data-key="/" />
      <small role="status" />
    </div>
  );
}
