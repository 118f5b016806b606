/** Converts the name of a function or field into words: `add_to_cart` and `addToCart` become `Add to cart`. */
export function nameInWords(name: string): string {
  const words = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .split(/[\s_-]+/)
    // Keep abbreviations in capitals.
    .map((word) => (/^\p{Lu}{2}/u.test(word) ? word : word.toLowerCase()))
    .join(' ')
    .trim();
  return words ? words.charAt(0).toUpperCase() + words.slice(1) : name;
}
